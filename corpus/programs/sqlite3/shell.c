// shell DATABASE: runs the SQL on standard input, statement by statement, and prints rows and errors.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static void print_value(sqlite3_stmt* statement, int column) {
  if (column) putchar('|');
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      fputs("NULL", stdout);
      break;
    case SQLITE_BLOB: {
      const unsigned char* bytes = sqlite3_column_blob(statement, column);
      fputs("x'", stdout);
      for (int i = 0; i < sqlite3_column_bytes(statement, column); ++i) printf("%02x", bytes[i]);
      putchar('\'');
      break;
    }
    case SQLITE_FLOAT:
      printf("%.17g", sqlite3_column_double(statement, column));
      break;
    default:
      fputs((const char*)sqlite3_column_text(statement, column), stdout);
  }
}

static void run(sqlite3* database, const char* sql) {
  while (*sql) {
    sqlite3_stmt* statement = NULL;
    const char* rest = NULL;
    int status = sqlite3_prepare_v2(database, sql, -1, &statement, &rest);
    while (status == SQLITE_OK && statement) {
      int step = sqlite3_step(statement);
      if (step != SQLITE_ROW) break;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) print_value(statement, i);
      putchar('\n');
    }
    status = statement ? sqlite3_finalize(statement) : status;
    if (status != SQLITE_OK) printf("error %d: %s\n", status, sqlite3_errmsg(database));
    if (rest == NULL || rest == sql) break;
    sql = rest;
  }
}

int main(int argc, char** argv) {
  static char script[1 << 20];
  sqlite3* database = NULL;
  if (argc != 2 || sqlite3_open(argv[1], &database) != SQLITE_OK) {
    fprintf(stderr, "usage: shell DATABASE\n");
    return 2;
  }
  script[fread(script, 1, sizeof script - 1, stdin)] = '\0';
  run(database, script);
  sqlite3_close(database);
  return 0;
}
