-- Notifies processes, given as names separated by spaces, of a call: what happened, its id, and further fields.
local function notify(processes, ...)
    for process in string.gmatch(processes or '', '%S+') do
        local stream = key('proc', process)
        redis.call('XADD', stream, 'MAXLEN', '~', '10000', '*', ...)
        redis.call('PEXPIRE', stream, HOUR)
    end
end
