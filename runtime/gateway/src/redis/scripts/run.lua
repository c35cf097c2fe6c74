-- what to do, run, organization as JSON, the most events of a run and their bytes, and what that needs; the answer begins with
-- ok, none, other or full
local run, org = ARGV[2], ARGV[3]
local meta, tools, sealed, events = meta_of(run), tools_of(run), sealed_of(run), events_of(run, org)

local function changed()
    redis.call('PUBLISH', 'mcp:1:inv', run)
end

local function state()
    local known = redis.call('HMGET', meta, 'org', 'epoch', 'revision')
    return {'ok', known[1], known[2], known[3]}
end

local function live(lives)
    redis.call('PEXPIRE', meta, lives)
    redis.call('PEXPIRE', tools, lives)
    redis.call('PEXPIRE', sealed, lives)
    redis.call('PEXPIRE', events, lives + HOUR)
end

-- Adds an event, and drops the oldest ones.
local function record(what, details, time)
    local newest = newest_event(events)
    local number, size = newest and newest.number + 1 or 1, #what + #details
    local sum = (newest and newest.sum or 0) + size
    local oldest = redis.call('XRANGE', events, '-', '+', 'COUNT', 1)[1]
    while oldest do
        local event = event_of(oldest)
        if sum - event.sum + #event.what + #event.details <= tonumber(ARGV[5]) then
            break
        end
        redis.call('XDEL', events, oldest[1])
        oldest = redis.call('XRANGE', events, '-', '+', 'COUNT', 1)[1]
    end
    redis.call('XADD', events, 'MAXLEN', ARGV[4], string.format('%d-0', number), 'sum', string.format('%d', sum),
        'time', string.format('%d', time or now()), 'what', what, 'details', details)
    redis.call('PEXPIRE', events, redis.call('PTTL', meta) + HOUR)
end

-- The status of a node, which is the last member of its entry.
local function status_of(entry)
    return string.match(entry, '"status":"(%a+)"}$')
end

local function next_revision()
    local revision = redis.call('HINCRBY', meta, 'revision', 1)
    -- The first entry makes the key, which must not outlive the run.
    redis.call('PEXPIRE', tools, redis.call('PTTL', meta))
    changed()
    return {'ok', tostring(revision)}
end

local known = redis.call('HGET', meta, 'org')
if known and known ~= org then
    return {'other'}
end

local acts = {}

function acts.open(lives, epoch)
    if not known then
        redis.call('DEL', tools, sealed)
        redis.call('HSET', meta, 'org', org, 'epoch', epoch, 'revision', 0, 'bytes', 0, 'sequence', 0)
        local _, expired_at = expiry_of(events, newest_event(events))
        if expired_at then
            record('run.expired', '{}', expired_at)
        end
        record('run.opened', '{}')
        changed()
    end
    live(lives)
    return state()
end

function acts.renew(lives)
    live(lives)
    return {'ok'}
end

acts['end'] = function()
    -- First, since a script whose first write needs no memory may go on when none is left.
    redis.call('DEL', meta, tools, sealed)
    record('run.ended', '{}')
    redis.call('PEXPIRE', events, HOUR)
    changed()
    return {'ok'}
end

function acts.revoke(epoch)
    if redis.call('HGET', meta, 'epoch') ~= epoch then
        record('run.revoked', '{}')
    end
    redis.call('HSET', meta, 'epoch', epoch)
    changed()
    return {'ok'}
end

function acts.record(what, details)
    local newest = newest_event(events)
    if not newest or newest.what ~= what or newest.details ~= details then
        record(what, details)
    end
    return {'ok'}
end

function acts.register(node, entry, most_entries, most_bytes, details)
    local former = redis.call('HGET', tools, node)
    if not former and redis.call('HLEN', tools) >= tonumber(most_entries) then
        return {'full', 'entries'}
    end
    local place, freed = nil, 0
    if former then
        place = string.match(former, '^%d+')
        freed = #former - #place - 1
    end
    if redis.call('HGET', meta, 'bytes') - freed + #entry > tonumber(most_bytes) then
        return {'full', 'bytes'}
    end
    place = place or redis.call('HINCRBY', meta, 'sequence', 1)
    redis.call('HINCRBY', meta, 'bytes', #entry - freed)
    redis.call('HSET', tools, node, place .. ' ' .. entry)
    if not former then
        record('tool.registered', details)
    elseif string.sub(former, #place + 2) ~= entry then
        record(status_of(former) == status_of(entry) and 'tool.updated' or 'tool.status', details)
    end
    return next_revision()
end

function acts.remove(node, details)
    local former = redis.call('HGET', tools, node)
    if not former then
        return {'ok', redis.call('HGET', meta, 'revision')}
    end
    redis.call('HDEL', tools, node)
    record('tool.removed', details)
    local credentials = redis.call('HGET', sealed, node)
    if credentials then
        redis.call('HDEL', sealed, node)
        redis.call('HINCRBY', meta, 'sealed', -#credentials)
    end
    redis.call('HINCRBY', meta, 'bytes', #string.match(former, '^%d+') + 1 - #former)
    return next_revision()
end

if not known and ARGV[1] ~= 'open' then
    return {'none'}
end
return acts[ARGV[1]](unpack(ARGV, 6))
