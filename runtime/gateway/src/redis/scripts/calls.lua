-- The id of this run of the server, which changes with each restart.
local function server_run()
    return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
end

-- Changes the record of a call without a notification: whether it waits or runs is only polled.
local function note(id, ...)
    local call = key('call', id)
    redis.call('HSET', call, ...)
    redis.call('HINCRBY', call, 'version', 1)
end

-- Changes the record of a call, and notifies the processes that wait for it.
local function change(id, ...)
    note(id, ...)
    notify(redis.call('HGET', key('call', id), 'callers'), 'call', id)
end

-- Puts a call into the queue of its pool.
local function enqueue(pool, id)
    local stream = key('calls', pool)
    local entry = redis.call('XADD', stream, '*', 'call', id)
    redis.call('PEXPIRE', stream, HOUR)
    redis.call('HSET', key('call', id), 'entry', entry)
end

-- Takes an entry out of the queue of a pool.
local function dequeue(pool, entry)
    local stream = key('calls', pool)
    redis.pcall('XACK', stream, 'w', entry)
    redis.call('XDEL', stream, entry)
end
