-- run, organization as JSON, the number after which, how many; the answer is none, or ok, whether the run is open, and of each event
-- number, time, event, details
local run, org, after, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local events = events_of(run, org)
local is_open, newest = redis.call('HGET', meta_of(run), 'org') == org, newest_event(events)
if not newest and not is_open then
    return {'none'}
end
local answer = {'ok', is_open and '1' or '0'}

local function show(number, time, what, details)
    for _, member in ipairs({string.format('%d', number), time, what, details}) do
        answer[#answer + 1] = member
    end
end

-- The second part of all ids is 0.
local found = redis.call('XRANGE', events, after .. '-1', '+', 'COUNT', count)
for _, entry in ipairs(found) do
    local event = event_of(entry)
    show(event.number, event.time, event.what, event.details)
end
if not is_open and #found < count then
    local number, time = expiry_of(events, newest)
    if number and number > tonumber(after) then
        show(number, string.format('%d', time), 'run.expired', '{}')
    end
end
return answer
