-- Notifies processes, given as names separated by spaces, of a call: what happened, and its id or its final record. A single field, since
-- its readers take longer for each string than the server.
local kept = {}
local function notify(processes, what, about)
    for process in string.gmatch(processes or '', '%S+') do
        local stream = key('proc', process)
        redis.call('XADD', stream, 'MAXLEN', '~', '10000', '*', what, about)
        if not kept[stream] then
            redis.call('PEXPIRE', stream, HOUR)
            kept[stream] = true
        end
    end
end
