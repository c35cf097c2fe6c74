-- What is counted: a book is a sorted set of names by when they expire, and a hash of their sizes, whose field "" is the sum.
local function strike(book, name)
    redis.call('ZREM', key('ledger', book), name)
    local bytes = redis.call('HGET', key('sizes', book), name)
    if bytes then
        redis.call('HDEL', key('sizes', book), name)
        redis.call('HINCRBY', key('sizes', book), '', -tonumber(bytes))
    end
end

local function strike_expired(book)
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', key('ledger', book), '-inf', now(), 'LIMIT', 0, 100)) do
        strike(book, name)
    end
end

local function size(book, name)
    return tonumber(redis.call('HGET', key('sizes', book), name) or 0)
end

local function sum(book)
    return size(book, '')
end

-- Enters a name or changes its size. It, and the book with it, is kept for so many milliseconds at least.
local function enter(book, name, bytes, lives)
    local ledger, sizes = key('ledger', book), key('sizes', book)
    redis.call('HINCRBY', sizes, '', bytes - size(book, name))
    redis.call('HSET', sizes, name, bytes)
    redis.call('ZADD', ledger, now() + lives, name)
    for _, part in ipairs({ledger, sizes}) do
        if redis.call('PTTL', part) < tonumber(lives) then
            redis.call('PEXPIRE', part, lives)
        end
    end
end

-- The books of a task: of all of them, and of those of its owner, if it has one.
local function books_of(owner)
    return owner == '' and {'tasks'} or {'tasks', 'tasks:' .. owner}
end
