-- id, task as JSON, how long it is kept in milliseconds, its owner or nothing, the process that runs it, the most tasks and
-- bytes of all, and of an owner; the answer is ok, count or bytes, with whose limit is reached: 1 for all, 2 for the owner
local id, text, lives, owner = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local task = key('task', id)
if redis.call('EXISTS', task) == 1 then
    return 'ok'
end
for place, book in ipairs(books_of(owner)) do
    strike_expired(book)
    if redis.call('ZCARD', key('ledger', book)) >= tonumber(ARGV[4 + 2 * place]) then
        return 'count' .. place
    end
    if sum(book) + #text > tonumber(ARGV[5 + 2 * place]) then
        return 'bytes' .. place
    end
end
redis.call('HSET', task, 'task', text, 'owner', owner, 'process', ARGV[5], 'ended', '0')
redis.call('PEXPIRE', task, lives)
for _, book in ipairs(books_of(owner)) do
    enter(book, id, #text, lives)
end
return 'ok'
