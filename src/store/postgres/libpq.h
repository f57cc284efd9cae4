// The functions of libpq that this room calls, found when the first PostgreSQL database is opened:
// the binary starts without the library, and who uses SQLite needs none.
#pragma once

#include <libpq-fe.h>

#include "perdure/result.h"

namespace perdure::store::postgres {

/// One member for each function, named as in libpq without `PQ`.
struct Libpq {
  decltype(&PQconnectdbParams) connectdbParams;
  decltype(&PQfinish) finish;
  decltype(&PQstatus) status;
  decltype(&PQtransactionStatus) transactionStatus;
  decltype(&PQsocket) socket;
  decltype(&PQbackendPID) backendPID;
  decltype(&PQerrorMessage) errorMessage;
  decltype(&PQserverVersion) serverVersion;
  decltype(&PQsetnonblocking) setnonblocking;
  decltype(&PQsetNoticeProcessor) setNoticeProcessor;
  decltype(&PQenterPipelineMode) enterPipelineMode;
  decltype(&PQexitPipelineMode) exitPipelineMode;
  decltype(&PQpipelineSync) pipelineSync;
  decltype(&PQsendPrepare) sendPrepare;
  decltype(&PQsendQueryPrepared) sendQueryPrepared;
  decltype(&PQflush) flush;
  decltype(&PQconsumeInput) consumeInput;
  decltype(&PQgetResult) getResult;
  decltype(&PQexec) exec;
  decltype(&PQnotifies) notifies;
  decltype(&PQfreemem) freemem;
  decltype(&PQclear) clear;
  decltype(&PQresultStatus) resultStatus;
  decltype(&PQresultErrorField) resultErrorField;
  decltype(&PQresultErrorMessage) resultErrorMessage;
  decltype(&PQcmdTuples) cmdTuples;
  decltype(&PQntuples) ntuples;
  decltype(&PQnfields) nfields;
  decltype(&PQfname) fname;
  decltype(&PQgetisnull) getisnull;
  decltype(&PQgetlength) getlength;
  decltype(&PQgetvalue) getvalue;
};

/// The library, loaded once and kept. Unavailable when it is missing or older than PostgreSQL 14.
[[nodiscard]] Result<const Libpq*> libpq();

} // namespace perdure::store::postgres
