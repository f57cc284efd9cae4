// One owner of a folder, whom others can find.
#include "store/sqlite/owner_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temporary_folder.h"

namespace perdure::store::sqlite {
namespace {

class OwnerLockTest : public testing::Test {
protected:
  test::TemporaryFolder folder_;
};

TEST_F(OwnerLockTest, NobodyOwnsANewFolder) {
  EXPECT_FALSE(OwnerLock::read(folder_.path()).value());
  EXPECT_FALSE(OwnerLock::read(folder_.file("missing")).value());
  EXPECT_FALSE(std::filesystem::exists(folder_.file("perdure.lock")));
}

TEST_F(OwnerLockTest, OthersFindTheOwnerAndItsUrl) {
  auto lock = OwnerLock::take(folder_.file("made"));
  ASSERT_TRUE(lock);
  auto owner = OwnerLock::read(folder_.file("made")).value();
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->pid, getpid());
  EXPECT_EQ(owner->url, "");
  ASSERT_TRUE(lock->set_url("http://127.0.0.1:8080"));
  EXPECT_EQ(OwnerLock::read(folder_.file("made")).value()->url, "http://127.0.0.1:8080");
  ASSERT_TRUE(lock->set_url("http://[::1]:1"));
  EXPECT_EQ(OwnerLock::read(folder_.file("made")).value()->url, "http://[::1]:1");
}

TEST_F(OwnerLockTest, SecondOwnerIsRefusedUntilTheFirstIsGone) {
  auto lock = OwnerLock::take(folder_.path());
  ASSERT_TRUE(lock);
  ASSERT_TRUE(lock->set_url("http://127.0.0.1:9"));
  const auto second = OwnerLock::take(folder_.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_THAT(second.error().message, testing::HasSubstr(std::to_string(getpid())));
  EXPECT_THAT(second.error().message, testing::HasSubstr("http://127.0.0.1:9"));
  {
    const auto gone = std::move(*lock);
  }
  EXPECT_FALSE(OwnerLock::read(folder_.path()).value());
  EXPECT_TRUE(OwnerLock::take(folder_.path()));
}

TEST_F(OwnerLockTest, ItEndsWithItsProcess) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const auto child = fork();
  if (child == 0) {
    const auto lock = OwnerLock::take(folder_.path());
    const char taken = lock ? 'y' : 'n';
    if (write(ready[1], &taken, 1) != 1) _exit(1);
    for (;;)
      pause();
  }
  char taken = 'n';
  ASSERT_EQ(read(ready[0], &taken, 1), 1);
  ASSERT_EQ(taken, 'y');
  EXPECT_EQ(OwnerLock::read(folder_.path()).value()->pid, child);
  EXPECT_FALSE(OwnerLock::take(folder_.path()));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(OwnerLock::read(folder_.path()).value());
  EXPECT_TRUE(OwnerLock::take(folder_.path()));
}

TEST_F(OwnerLockTest, AFolderThatCannotBeMadeIsAnError) {
  const auto lock = OwnerLock::take("/proc/nowhere");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ErrorCode::unavailable);
}

} // namespace
} // namespace perdure::store::sqlite
