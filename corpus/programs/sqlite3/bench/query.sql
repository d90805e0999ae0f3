CREATE TABLE person(id INTEGER PRIMARY KEY, town INTEGER, age INTEGER, name TEXT);
CREATE TABLE town(id INTEGER PRIMARY KEY, name TEXT, land TEXT);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
  INSERT INTO town SELECT i, 'town ' || i, 'land ' || (i % 13) FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149999)
  INSERT INTO person SELECT i, i * 7919 % 200, i * 104729 % 97, 'name ' || (i * 31 % 1009) FROM n;
SELECT land, count(*), avg(age) FROM person JOIN town ON town.id = person.town GROUP BY land ORDER BY 2, land;
SELECT name, count(*) FROM person GROUP BY name HAVING count(*) > 148 ORDER BY name LIMIT 5;
SELECT count(*) FROM person WHERE age BETWEEN 30 AND 40 OR name LIKE '%99' OR town IN (3, 5, 7);
SELECT count(DISTINCT age * 200 + town) FROM person;
SELECT id, age FROM person ORDER BY age DESC, name, id LIMIT 3;
SELECT count(*) FROM person a JOIN person b ON b.id = a.id * 2 WHERE a.age < b.age;
SELECT sum(x) FROM (SELECT CASE WHEN age < 18 THEN 1 WHEN age < 65 THEN 2 ELSE 3 END AS x FROM person);
SELECT max(s) FROM (SELECT sum(age) OVER (PARTITION BY town ORDER BY id) AS s FROM person);
