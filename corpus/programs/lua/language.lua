-- Closures, metatables, coroutines, goto, varargs, errors, integer and float arithmetic.
local function counter(start)
  local n = start
  return function(step) n = n + (step or 1); return n end
end
local one, two = counter(10), counter(-3)
print(one(), one(5), two(), two(0.5))

local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({x = a.x + b.x, y = a.y + b.y}, Vector) end
Vector.__eq = function(a, b) return a.x == b.x and a.y == b.y end
Vector.__lt = function(a, b) return a.x < b.x end
Vector.__le = function(a, b) return a.x <= b.x end
Vector.__concat = function(a, b) return tostring(a) .. "|" .. tostring(b) end
Vector.__tostring = function(v) return string.format("(%g, %g)", v.x, v.y) end
Vector.__len = function() return 2 end
Vector.__call = function(v, k) return v.x * k end
Vector.__close = function(v) print("close", v) end
local v = setmetatable({x = 1, y = 2}, Vector)
local w = setmetatable({x = 3, y = 4.5}, Vector)
print(v + w, v == w, v < w, v <= w, v .. w, #v, v(7))
do local scoped <close> = v; local fixed <const> = 3; print("inside", fixed) end

local function permutations(list, n)
  n = n or #list
  if n <= 1 then coroutine.yield(list) end
  for i = 1, n do
    list[n], list[i] = list[i], list[n]
    permutations(list, n - 1)
    list[n], list[i] = list[i], list[n]
  end
end
for list in coroutine.wrap(function() permutations({"a", "b", "c", "d"}) end) do io.write(table.concat(list), " ") end
print()
local co = coroutine.create(function(a) local b = coroutine.yield(a * 2); error("stop at " .. b) end)
print(coroutine.resume(co, 21)); print(coroutine.resume(co, "here")); print(coroutine.status(co), coroutine.resume(co))

local function sum(...)
  local total = 0
  for i = 1, select("#", ...) do total = total + (select(i, ...) or 0) end
  return total, ...
end
print(sum(1, 2, nil, 4), (sum(5, 6)), table.unpack({1, 2, 3}, 2))
print(pcall(error, "message", 0), pcall(error), select(2, pcall(function() local x = nil; return x.y end)))
print(select(2, xpcall(function() error("deep") end, function(m) return "handled: " .. m end)))

for i = 1, 3 do
  for j = 1, 3 do
    if j == 2 then goto continue end
    if i * j == 9 then goto done end
    io.write(i, "*", j, "=", i * j, " ")
    ::continue::
  end
end
::done:: print()

print(7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, -7.5 % 2, 2^10, 10 / 4, 1 // 0.0, -1 % math.huge)
print(5 & 3, 5 | 3, 5 ~ 3, ~5, 1 << 62, 1 << 64, -1 >> 60, "10" + 5, "0x10" * 2, 10 .. 20)
print(math.maxinteger + 1 == math.mininteger, math.mininteger // -1, math.type(3), math.type(3.0), 3 == 3.0)
print(pcall(function() return 1 // 0 end)); print(pcall(function() return 2^53 | 0.5 end))
print(1e15, 1e16, 0.1, 1/3, 123456789012345678, -0.0, 1e308 * 10, -(0/0) ~= 0/0, 2^63, math.tointeger(2^53))
for i = 10, 1, -3 do io.write(i, " ") end
for x = 0, 1, 0.25 do io.write(x, " ") end
for i = math.maxinteger - 1, math.maxinteger do io.write(i, " ") end
print(...)
