#include "store/postgres/libpq.h"

#include <dlfcn.h>

#include <string>

namespace perdure::store::postgres {

namespace {

constexpr const char* kLibrary = "libpq.so.5";

/// Finds functions; remembers the first that is missing.
class Finder {
public:
  explicit Finder(void* library) : library_(library) {}

  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(library_, name));
    if (!function && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

private:
  void* library_;
  std::string missing_;
};

Result<Libpq> load() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return fail(ErrorCode::unavailable,
                "PostgreSQL needs the client library libpq.so.5, which is not installed; install "
                "the package libpq5 (Debian, Ubuntu), libpq (Fedora, Alpine) or postgresql-libs "
                "(Arch).",
                kLibrary);
  }
  Libpq table{};
  Finder finder(library);
#define PERDURE_FIND(name) finder.find(table.name, "PQ" #name)
  PERDURE_FIND(connectdbParams);
  PERDURE_FIND(finish);
  PERDURE_FIND(status);
  PERDURE_FIND(transactionStatus);
  PERDURE_FIND(socket);
  PERDURE_FIND(backendPID);
  PERDURE_FIND(errorMessage);
  PERDURE_FIND(serverVersion);
  PERDURE_FIND(setnonblocking);
  PERDURE_FIND(setNoticeProcessor);
  PERDURE_FIND(enterPipelineMode);
  PERDURE_FIND(exitPipelineMode);
  PERDURE_FIND(pipelineSync);
  PERDURE_FIND(sendPrepare);
  PERDURE_FIND(sendQueryPrepared);
  PERDURE_FIND(flush);
  PERDURE_FIND(consumeInput);
  PERDURE_FIND(getResult);
  PERDURE_FIND(exec);
  PERDURE_FIND(notifies);
  PERDURE_FIND(freemem);
  PERDURE_FIND(clear);
  PERDURE_FIND(resultStatus);
  PERDURE_FIND(resultErrorField);
  PERDURE_FIND(resultErrorMessage);
  PERDURE_FIND(cmdTuples);
  PERDURE_FIND(ntuples);
  PERDURE_FIND(nfields);
  PERDURE_FIND(fname);
  PERDURE_FIND(getisnull);
  PERDURE_FIND(getlength);
  PERDURE_FIND(getvalue);
#undef PERDURE_FIND
  if (!finder.missing().empty()) {
    return fail(ErrorCode::unavailable,
                "The client library libpq.so.5 lacks " + finder.missing() +
                    "; install that of PostgreSQL 14 or newer.",
                kLibrary);
  }
  return table;
}

} // namespace

Result<const Libpq*> libpq() {
  static const Result<Libpq> table = load();
  if (!table) return std::unexpected(table.error());
  return &*table;
}

} // namespace perdure::store::postgres
