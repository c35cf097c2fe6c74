-- What is kept where, and what all scripts share. Names after "mcp:1:", where 1 is the version of this layout:
--
--   {RUN}:meta         hash: org, epoch, revision, bytes, sequence and bytes of sealed credentials of a run
--   {RUN}:sealed       hash: node -> its sealed credentials as JSON; it expires with meta
--   {RUN}:tools        hash: node -> place in the order, a space, entry as JSON; it expires with meta
--   {RUN}:events:ORG   stream, of a run of an organization as JSON: number-0, and bytes so far, time, event, details as JSON; it
--                      expires an hour after meta
--   revoked:TOKEN      a revoked token; it expires when any such token has
--   revoked-org:ORG    until when tokens of an organization are revoked
--   inv                channel: the run that has changed; empty for any
--   calls:POOL         stream, read by the group "w": the ids of calls that wait
--   call:ID            hash: all that is known of a call
--   leases:POOL        sorted set: the calls that run, by the end of their leases
--   workers:POOL       sorted set: the workers, by when they no longer count
--   proc:PROCESS       stream: what a process should look at
--   key:KEY            hash: the call that was made with an idempotency key, and the digest of its arguments
--   task:ID            hash: a task as JSON, its owner, the process that runs it, whether it has ended, since when that is lost
--   alive:PROCESS      present while a process that runs tasks is there
--   events:SESSION     sorted set, by number: time, stream, number and message of the events of a session
--   ledger:BOOK        sorted set: what is counted, by when it expires; the books are tasks, tasks:OWNER and events
--   sizes:BOOK         hash: the sizes of what is counted, and their sum
local function key(kind, name)
    return 'mcp:1:' .. kind .. ':' .. name
end

local function meta_of(run)
    return 'mcp:1:{' .. run .. '}:meta'
end

local function tools_of(run)
    return 'mcp:1:{' .. run .. '}:tools'
end

local function sealed_of(run)
    return 'mcp:1:{' .. run .. '}:sealed'
end

local function now()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

local HOUR = 3600000

-- The id of this run of the server, which changes with each restart.
local function server_run()
    return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
end

-- Whether a token is revoked, by itself or with its organization.
local function is_revoked(org, token, issued_at)
    local ends = redis.call('GET', key('revoked-org', org))
    if ends and tonumber(issued_at) <= tonumber(ends) then
        return '1'
    end
    return tostring(redis.call('EXISTS', key('revoked', token)))
end

-- Notifies processes, given as names separated by spaces, of a call.
local function notify(processes, what, id)
    for process in string.gmatch(processes or '', '%S+') do
        local stream = key('proc', process)
        redis.call('XADD', stream, 'MAXLEN', '~', 10000, '*', what, id)
        redis.call('PEXPIRE', stream, HOUR)
    end
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

-- Looks for workers of a pool that have let their leases end, and for those that were lost between being given an entry and
-- claiming its call. `idle` is how long that may take; `attempts` how often a call is made.
local function end_leases(pool, idle, attempts)
    local leases = key('leases', pool)
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now(), 'LIMIT', 0, 100)) do
        redis.call('ZREM', leases, id)
        local call = key('call', id)
        local known = redis.call('HMGET', call, 'state', 'repeatable', 'attempt', 'cancelled')
        if known[1] == 'running' then
            redis.call('HDEL', call, 'lease')
            if known[2] == '1' and tonumber(known[3]) < attempts and not known[4] then
                enqueue(pool, id)
                note(id, 'state', 'queued')
            else
                redis.call('HDEL', call, 'call')
                change(id, 'state', 'unknown')
            end
        end
    end
    local stream = key('calls', pool)
    local given = redis.pcall('XPENDING', stream, 'w', 'IDLE', idle, '-', '+', 100)
    -- Without a group there are none.
    if given.err then
        return
    end
    for _, entry in ipairs(given) do
        local found = redis.call('XRANGE', stream, entry[1], entry[1])[1]
        dequeue(pool, entry[1])
        if found then
            enqueue(pool, found[2][2])
        end
    end
end
