// SQLite, and those of its calls that take a cast macro or variadic arguments.
#include <sqlite3.h>

/// Binds a copy of the text; sqlite3_bind_text.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text ? text : "", count, SQLITE_TRANSIENT);
}

/// Binds a copy of the bytes, none of which is NULL; sqlite3_bind_blob.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return count ? sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT)
               : sqlite3_bind_zeroblob(statement, index, 0);
}

/// Gives a function's result as a copy; sqlite3_result_text.
static inline void csqlite_result_text(sqlite3_context *context, const char *text, int count) {
  sqlite3_result_text(context, text, count, SQLITE_TRANSIENT);
}

/// Leaves out counting memory, which takes a lock for each piece; before the first connection:
/// sqlite3_config.
static inline void csqlite_set_up(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Refuses what could harm a file that others made: sqlite3_db_config.
static inline void csqlite_defend(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, (int *)0);
}
