-- Changes the record of a call without a notification: whether it waits or runs is only polled.
local function note(id, ...)
    local call = key('call', id)
    redis.call('HSET', call, ...)
    redis.call('HINCRBY', call, 'version', '1')
end

-- Changes the record of a call, and notifies the processes that wait for it.
local function change(id, ...)
    note(id, ...)
    notify(redis.call('HGET', key('call', id), 'callers'), 'call', id)
end

-- Puts a call into the queue of its pool.
local function enqueue(pool, id)
    local queue = key('queue', pool)
    redis.call('RPUSH', queue, id)
    redis.call('PEXPIRE', queue, HOUR)
end
