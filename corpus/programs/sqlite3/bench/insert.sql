CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER, c TEXT);
CREATE INDEX tb ON t(b);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
  INSERT INTO t SELECT i, i * 7919 % 100003, 'row ' || (i * 31 % 997) FROM n;
CREATE INDEX tc ON t(c, b);
UPDATE t SET b = b + 1 WHERE a % 3 = 0;
DELETE FROM t WHERE b % 7 = 3;
SELECT count(*), sum(b), max(c) FROM t;
PRAGMA integrity_check;
