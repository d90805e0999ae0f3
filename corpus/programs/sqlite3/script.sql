-- Tables, indices, triggers, foreign keys.
PRAGMA foreign_keys = ON;
CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL COLLATE NOCASE);
CREATE TABLE person(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, born INT CHECK(born > 1800), weight REAL,
                    team INT REFERENCES team(id) ON DELETE SET NULL, photo BLOB, upper_name TEXT AS (upper(name)) STORED);
CREATE TABLE log(at INTEGER PRIMARY KEY, what TEXT);
CREATE INDEX by_born ON person(born, name DESC);
CREATE INDEX by_heavy ON person(weight) WHERE weight > 70;
CREATE INDEX by_expression ON person(length(name), born % 10);
CREATE TRIGGER added AFTER INSERT ON person BEGIN INSERT INTO log(what) VALUES('+' || new.name); END;
CREATE TRIGGER moved AFTER UPDATE OF team ON person WHEN old.team IS NOT new.team
  BEGIN INSERT INTO log(what) VALUES(old.name || ' ' || ifnull(old.team, '-') || '>' || ifnull(new.team, '-')); END;
INSERT INTO team(name) VALUES('red'), ('green'), ('blue');
INSERT INTO team(name) VALUES('RED');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
  INSERT INTO person(name, born, weight, team, photo)
  SELECT printf('%c%c-%03d', 65 + i * 7 % 26, 97 + i * 11 % 26, i), 1900 + i * 37 % 120, 40 + (i * 7919 % 1000) / 13.0, i % 4,
         CASE WHEN i % 5 THEN NULL ELSE CAST('photo ' || i AS BLOB) END FROM n WHERE i % 4;
INSERT INTO person(name, born) VALUES('nobody', 1700);
INSERT INTO person(name, born, team) VALUES('nobody', 1950, 99);
SELECT count(*), min(born), max(born), round(avg(weight), 6), total(weight), group_concat(DISTINCT team) FROM person;
SELECT count(*), what FROM log WHERE at > 597;

-- Joins, groups, subqueries, compounds.
SELECT t.name, count(p.id), sum(p.weight) FROM team t LEFT JOIN person p ON p.team = t.id AND p.born > 1990 GROUP BY t.id ORDER BY 2 DESC, 1;
SELECT a.name, b.name FROM person a JOIN person b ON a.born = b.born AND a.id < b.id WHERE a.weight > 115 ORDER BY a.id, b.id LIMIT 12;
SELECT t.name, p.name FROM person p RIGHT JOIN team t ON p.team = t.id AND p.weight < 40.5 ORDER BY 1, 2;
SELECT born / 10 * 10 AS decade, count(*) c, max(weight) FROM person GROUP BY decade HAVING c > 45 ORDER BY decade;
SELECT name FROM person p WHERE weight = (SELECT max(weight) FROM person WHERE team = p.team) ORDER BY name;
SELECT name FROM team WHERE EXISTS (SELECT 1 FROM person WHERE team = team.id AND born = 1901) ORDER BY name;
SELECT name FROM person WHERE team IN (SELECT id FROM team WHERE name LIKE '%E%') AND born NOT BETWEEN 1901 AND 2015 ORDER BY born DESC, name LIMIT 9;
SELECT born FROM person WHERE id < 30 INTERSECT SELECT born FROM person WHERE id > 500 EXCEPT SELECT 1938 UNION SELECT 0 ORDER BY 1;
SELECT (team, born) > (2, 1950), (team, born) IN (VALUES(1, 1937), (3, 2011)) FROM person LIMIT 4;
EXPLAIN QUERY PLAN SELECT * FROM person WHERE born = 1950 AND name > 'B';
ANALYZE;
EXPLAIN QUERY PLAN SELECT * FROM person JOIN team ON team.id = person.team WHERE weight > 100 ORDER BY born;

-- Common table expressions and window functions.
WITH RECURSIVE fact(n, f) AS (SELECT 1, 1 UNION ALL SELECT n + 1, f * (n + 1) FROM fact LIMIT 25) SELECT * FROM fact;
WITH RECURSIVE xaxis(x) AS (VALUES(-2.0) UNION ALL SELECT x + 0.1 FROM xaxis WHERE x < 1.2),
  yaxis(y) AS (VALUES(-1.0) UNION ALL SELECT y + 0.2 FROM yaxis WHERE y < 1.0),
  m(iter, cx, cy, x, y) AS (SELECT 0, x, y, 0.0, 0.0 FROM xaxis, yaxis UNION ALL
    SELECT iter + 1, cx, cy, x * x - y * y + cx, 2.0 * x * y + cy FROM m WHERE x * x + y * y < 4.0 AND iter < 28),
  m2(iter, cx, cy) AS (SELECT max(iter), cx, cy FROM m GROUP BY cx, cy),
  a(t) AS (SELECT group_concat(substr(' .+*#', 1 + min(iter / 7, 4), 1), '') FROM m2 GROUP BY cy)
  SELECT group_concat(rtrim(t), x'0a') FROM a;
SELECT name, born, row_number() OVER w, rank() OVER w, dense_rank() OVER w, ntile(4) OVER w, lag(name, 2, '?') OVER w,
  lead(born) OVER w, first_value(name) OVER w, nth_value(name, 3) OVER w FROM person WHERE id < 14 WINDOW w AS (PARTITION BY team ORDER BY born / 20, id);
SELECT id, sum(weight) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING), avg(born) OVER (ORDER BY born RANGE BETWEEN 5 PRECEDING AND CURRENT ROW),
  count(*) FILTER (WHERE team = 1) OVER (ORDER BY id GROUPS 3 PRECEDING), percent_rank() OVER (ORDER BY weight), cume_dist() OVER (ORDER BY team) FROM person WHERE id <= 12 ORDER BY id;

-- Text, numbers, blobs, dates, JSON.
SELECT substr('abcdef', -3, 2), instr('hello', 'l'), replace('a-b-c', '-', '+'), trim('xxaxx', 'x'), upper('äb'), quote('it''s'), hex('abc'), unicode('€'), char(8364, 65);
SELECT printf('%08.3f|%+d|%x|%e|%-6s|%Q|%,d', 3.14159, 7, 255, 12345.678, 'ab', 'q''q', 1234567), format('%5.1f%%', 99.44), 'abc' LIKE 'A_C', 'abc' GLOB 'a[b-d]c';
SELECT 7 / 2, -7 / 2, 7 % -3, 7.0 / 2, 1 << 40, ~5, 5 & 6 | 8, 9223372036854775807 + 1, 1 / 0, '12abc' + 1, 0.1 + 0.2, 1e308 * 10, -1e-320, round(2.5), round(-1.255, 2);
SELECT typeof(1), typeof(1.0), typeof('1'), typeof(x'01'), typeof(NULL), CAST('3.9' AS INT), CAST(3.99 AS INT), CAST(x'3132' AS TEXT), 1 = '1', NULL IS NOT 1;
SELECT sqrt(2), pow(2, 0.5), sin(1), atan2(1, 2), ln(10), log2(8), exp(1), ceil(-1.5), pi(), mod(-7, 3), trunc(2.7), radians(180);
SELECT x'00ff' || x'10', length(zeroblob(5)), substr(x'0102030405', 2, 3), photo, length(photo) FROM person WHERE photo NOTNULL ORDER BY id LIMIT 3;
SELECT date('2000-02-28', '+2 days'), strftime('%Y-%W %j %H:%M:%f', '1999-12-31 23:59:59.5'), julianday('2020-01-01'), datetime(86400, 'unixepoch', 'start of month', '-1 second', 'weekday 0');
SELECT json_extract('{"a":[1,2.5,{"b":"x"}]}', '$.a[2].b'), json_set('{"a":1}', '$.c', json('[1,2]')), json_group_array(team ORDER BY id) FROM person WHERE id < 6;
SELECT key, value, type, path FROM json_tree('{"k":[true,null,"s",{"n":1e3}]}');
SELECT '{"a":{"b":7}}' -> 'a' ->> 'b', json_valid('{x}'), json_patch('{"a":1,"b":2}', '{"b":null,"c":3}'), json_error_position('[1,');

-- Changes, transactions, views, upserts, returning.
BEGIN; UPDATE person SET team = team % 3 + 1 WHERE id % 50 = 0; SAVEPOINT s; DELETE FROM person WHERE id > 100; SELECT changes(), count(*) FROM person;
ROLLBACK TO s; SELECT count(*) FROM person; COMMIT; SELECT what FROM log ORDER BY at DESC LIMIT 6;
INSERT INTO team(id, name) VALUES(2, 'lime') ON CONFLICT(id) DO UPDATE SET name = excluded.name || '/' || team.name RETURNING *;
INSERT OR REPLACE INTO log VALUES(1, 'replaced'); DELETE FROM team WHERE id = 3 RETURNING name; SELECT count(*) FROM person WHERE team IS NULL;
CREATE VIEW heavy AS SELECT name, weight, team FROM person WHERE weight > 110;
CREATE TRIGGER through INSTEAD OF UPDATE ON heavy BEGIN UPDATE person SET weight = new.weight WHERE name = new.name; END;
UPDATE heavy SET weight = 50.25 WHERE team = 1; SELECT count(*), sum(weight) FROM heavy;
ALTER TABLE log RENAME COLUMN what TO event; ALTER TABLE log ADD COLUMN level INT DEFAULT 3; SELECT * FROM log LIMIT 2;
UPDATE person SET born = 1; SELECT raise(ABORT, 'no'); SELECT * FROM missing; SELEC 1; SELECT abs(-9223372036854775807 - 1);
CREATE TABLE wide(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID; INSERT INTO wide SELECT id, born, name FROM person; SELECT * FROM wide WHERE b = 1950 LIMIT 3;
CREATE TABLE exact(i INT, t TEXT, a ANY) STRICT; INSERT INTO exact VALUES('x', 1, 2); INSERT INTO exact VALUES(1, 'x', 2.0); SELECT * FROM exact;

-- Full text, R-trees, statistics, big values, reorganisation.
CREATE VIRTUAL TABLE note USING fts5(title, body); INSERT INTO note VALUES('psi', 'a psi function merges guarded definitions'), ('phi', 'a phi function merges paths');
SELECT title, highlight(note, 1, '[', ']'), round(bm25(note), 6) FROM note WHERE note MATCH 'merges NOT paths'; SELECT snippet(note, 1, '<', '>', '..', 3) FROM note('func*') ORDER BY rank;
CREATE VIRTUAL TABLE old USING fts4(body); INSERT INTO old VALUES('one two three two'), ('two'); SELECT docid, offsets(old), snippet(old) FROM old WHERE old MATCH 'two OR three';
CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1); INSERT INTO box SELECT id, id % 30, id % 30 + 2.5, id % 17, id % 17 + 1 FROM person;
SELECT count(*), sum(id) FROM box WHERE x0 > 3 AND x1 < 12.25 AND y0 >= 5;
CREATE TABLE big(v); INSERT INTO big SELECT replace(hex(zeroblob(30000)), '0', 'xyz') FROM team; SELECT length(v), substr(v, 59999, 5) FROM big;
PRAGMA page_count; DROP TABLE big; VACUUM; REINDEX; PRAGMA page_count; PRAGMA integrity_check; SELECT name, pgsize > 0 FROM dbstat ORDER BY name, path LIMIT 5;
