-- id, task as JSON, how long it is kept in milliseconds, whether it has ended, the process that says so, whether only if the one
-- that runs it is lost, the most bytes of all tasks, and of those of an owner
local id, text, lives = ARGV[1], ARGV[2], ARGV[3]
local task = key('task', id)
local known = redis.call('HMGET', task, 'task', 'ended', 'owner', 'process')
if known[1] == text then
    return 'ok'
end
if known[2] ~= '0' or (ARGV[6] == '1' and redis.call('EXISTS', key('alive', known[4])) == 1) then
    return 'gone'
end
for place, book in ipairs(books_of(known[3])) do
    -- An end without a result is always kept.
    local is_larger = #text > #known[1] + 512
    if is_larger and sum(book) - #known[1] + #text > tonumber(ARGV[6 + place]) then
        return 'bytes' .. place
    end
end
redis.call('HSET', task, 'task', text, 'ended', ARGV[4])
redis.call('HDEL', task, 'lost')
redis.call('PEXPIRE', task, lives)
for _, book in ipairs(books_of(known[3])) do
    enter(book, id, #text, lives)
end
if ARGV[4] == '1' and known[4] ~= ARGV[5] then
    notify(known[4], 'cancel', id)
end
return 'ok'
