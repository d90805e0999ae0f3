-- Tables, sorting, garbage collection, input and output, and some work for the machine.
local seed = 12345
local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n end

local list = {}
for i = 1, 2000 do list[i] = random(100000) end
table.sort(list); print(list[1], list[1000], list[2000])
table.sort(list, function(a, b) return a % 1000 < b % 1000 or a % 1000 == b % 1000 and a > b end)
print(table.concat(list, ",", 1, 20))
print(pcall(table.sort, {3, 1, 2, 5, 4, 7, 6, 9, 8, 11, 10, 12}, function() return true end))
table.insert(list, 1, "first"); table.insert(list, "last"); print(table.remove(list, 1), table.remove(list), #list)
print(table.unpack(table.move({1, 2, 3}, 1, 3, 3, {9, 8})))

local words, keys = {}, {}
for i = 1, 3000 do local key = "k" .. random(500); words[key] = (words[key] or 0) + 1 end
for key in pairs(words) do keys[#keys + 1] = key end
table.sort(keys); print(#keys, keys[1], words[keys[1]], keys[#keys], words[keys[#keys]])
for key in pairs(words) do if words[key] % 2 == 0 then words[key] = nil end end
local left = 0; for _ in pairs(words) do left = left + 1 end print(left)

local weak = setmetatable({}, {__mode = "k"})
for i = 1, 100 do weak[{}] = i end
local closed = 0
for i = 1, 50 do setmetatable({}, {__gc = function() closed = closed + 1 end}) end
collectgarbage("generational"); collectgarbage(); collectgarbage("incremental"); collectgarbage()
print(next(weak), closed, collectgarbage("count") > 0)

local sieve, primes = {}, 0
for i = 2, 30000 do
  if not sieve[i] then primes = primes + 1; for j = i * i, 30000, i do sieve[j] = true end end
end
print(primes)
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(24))
local x, y, inside = 0.5, 0.25, 0
for i = 1, 50000 do x = (x * 9301.5 + 0.2113) % 1; y = (y * 7907.25 + x) % 1; if x * x + y * y < 1 then inside = inside + 1 end end
print(inside, string.format("%.12f", math.sin(x) + math.exp(y) - math.log(x + 1, 2) + math.fmod(-5.5, 2)))

local file = assert(io.open("out.txt", "w"))
file:write("line one\n", 2, " ", 3.5, "\nlast"); print(file:seek("cur"), file:seek("set", 5)); file:write("ONE"); file:close()
for line in io.lines("out.txt") do io.write("[", line, "]") end
local input = io.open("out.txt"); print(input:read("l", "n", "n", "L", "a")); print(input:read("a"), input:read("l")); input:close()
print(io.open("missing/file")); print(os.time({year = 2000, month = 1, day = 31, hour = 12}), os.date("!%Y-%m-%d %H:%M:%S", 86400))
print(debug.getinfo(fib, "S").linedefined, debug.getinfo(1, "l").currentline, (debug.traceback("trace"):gsub("0x%x+", "")))
print(load("return 1 +")); print(load("x = 5; return x + 1", "chunk", "t", {})())
