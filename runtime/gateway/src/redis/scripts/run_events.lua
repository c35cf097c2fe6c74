-- What the scripts with events of runs share.
local function events_of(run, org)
    return 'mcp:1:{' .. run .. '}:events:' .. org
end

-- The members of an entry of the stream.
local function event_of(entry)
    local fields = entry[2]
    return {number = tonumber(string.match(entry[1], '^%d+')), sum = tonumber(fields[2]), time = fields[4], what = fields[6],
        details = fields[8]}
end

local function newest_event(events)
    local entry = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)[1]
    return entry and event_of(entry)
end

-- The event with which a run ended that was not renewed, if it did.
local function expiry_of(events, newest)
    if newest and newest.what ~= 'run.ended' and newest.what ~= 'run.expired' then
        return newest.number + 1, now() + redis.call('PTTL', events) - HOUR
    end
end
