-- What is kept where, and what all scripts share. What only some need is in other files, since all of a script is run with each
-- call. Numbers are passed to commands as text where they can be: turning them into text takes longer than most commands. Names after
-- "mcp:1:", where 1 is the version of this layout:
--
--   {RUN}:meta         hash: org, epoch, revision, bytes, sequence and bytes of sealed credentials of a run
--   {RUN}:sealed       hash: node -> its sealed credentials as JSON; it expires with meta
--   {RUN}:tools        hash: node -> place in the order, a space, entry as JSON; it expires with meta
--   {RUN}:events:ORG   stream, of a run of an organization as JSON: number-0, and bytes so far, time, event, details as JSON; it
--                      expires an hour after meta
--   revoked:TOKEN      a revoked token; it expires when any such token has
--   revoked-org:ORG    until when tokens of an organization are revoked
--   inv                channel: the run that has changed; empty for any
--   queue:POOL         list: the ids of calls that wait
--   given:POOL         list: the ids of those that woke a worker, which claims them at once; if it does not, any other does
--   call:ID            hash: all that is known of a call
--   leases:POOL        sorted set: the calls that run, by the end of their leases
--   workers:POOL       sorted set: the workers, by when they no longer count
--   proc:PROCESS       channel: what a process should look at
--   key:KEY            hash: the call that was made with an idempotency key, and the digest of its arguments
--   task:ID            hash: a task as JSON, its owner, the process that runs it, whether it has ended, since when that is lost
--   alive:PROCESS      present while a process that runs tasks is there
--   events:SESSION     sorted set, by number: time, stream, number and message of the events of a session
--   ledger:BOOK        sorted set: what is counted, by when it expires; the books are tasks, tasks:OWNER and events
--   sizes:BOOK         hash: the sizes of what is counted, and their sum
local function key(kind, name)
    return 'mcp:1:' .. kind .. ':' .. name
end

local function now()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

local HOUR = '3600000'

-- A whole number as text.
local function digits(number)
    return string.format('%d', number)
end
