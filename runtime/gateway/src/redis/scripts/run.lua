-- what to do, run, organization as JSON, and what that needs; the answer begins with ok, none, other or full
local run, org = ARGV[2], ARGV[3]
local meta, tools, sealed = meta_of(run), tools_of(run), sealed_of(run)

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
    redis.call('DEL', meta, tools, sealed)
    changed()
    return {'ok'}
end

function acts.revoke(epoch)
    redis.call('HSET', meta, 'epoch', epoch)
    changed()
    return {'ok'}
end

function acts.register(node, entry, most_entries, most_bytes)
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
    return next_revision()
end

function acts.remove(node)
    local former = redis.call('HGET', tools, node)
    if not former then
        return {'ok', redis.call('HGET', meta, 'revision')}
    end
    redis.call('HDEL', tools, node)
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
return acts[ARGV[1]](unpack(ARGV, 4))
