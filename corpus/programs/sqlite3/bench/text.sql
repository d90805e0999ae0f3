CREATE VIRTUAL TABLE doc USING fts5(body);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
  INSERT INTO doc SELECT 'word' || (i % 97) || ' term' || (i * 31 % 211) || ' the quick brown fox ' || (i * 7 % 53) FROM n;
SELECT count(*) FROM doc WHERE doc MATCH 'word5 OR term7';
SELECT count(*) FROM doc WHERE doc MATCH 'quick AND term1*';
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
  SELECT sum(length(replace(printf('%d-%x-%s', i, i * 3, 'abc'), '-', '+'))),
         sum(instr(printf('%d', i * 37), '99') > 0), sum(printf('%d', i) GLOB '*7*3*') FROM n;
SELECT sum(json_extract('{"a":[1,2,{"b":' || rowid || '}]}', '$.a[2].b')) FROM doc;
