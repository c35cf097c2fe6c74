-- Notifies processes, given as names separated by spaces, of a call: what happened, its id, and further fields.
local kept = {}
local function notify(processes, ...)
    for process in string.gmatch(processes or '', '%S+') do
        local stream = key('proc', process)
        redis.call('XADD', stream, 'MAXLEN', '~', '10000', '*', ...)
        if not kept[stream] then
            redis.call('PEXPIRE', stream, HOUR)
            kept[stream] = true
        end
    end
end
