-- Notifies processes, given as names separated by spaces: what happened, a space, and the call's id or final records of calls. One that
-- is not there misses it: records are read again after an interruption.
local function notify(processes, what, about)
    for process in string.gmatch(processes or '', '%S+') do
        redis.call('PUBLISH', key('proc', process), what .. ' ' .. about)
    end
end
