import { createHash } from 'node:crypto';

/** A script with the name that Redis gives it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

function toScript(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

/** Each commit has a stamp of its own, of this length, before its changes and each of its lines: by the last stamp a process finds out whether what it
 * knows is what Redis has. A Redis that has lost its last writes can have others at the same revision. */
export const STAMP_LENGTH = 16;

/**
 * Reads what was written after a known state; all of it where the known state is not a part of what is here. Keys: meta, log, dump, journal,
 * snapshots. Arguments from the first on: epoch, revision, stamp of the revision, number of the last line, its stamp.
 */
const READ_STATE = `
local function after(list, known, first, stamp)
  local found = redis.call('LRANGE', list, known - first, -1)
  if string.sub(found[1] or '', 1, ${STAMP_LENGTH}) ~= stamp then return nil end
  table.remove(found, 1)
  return found
end
local function read(keys, epoch, revision, stamp, number, entered)
  local m = redis.call('HMGET', keys[1], 'epoch', 'revision', 'first', 'dumped', 'number', 'line', 'stamp', 'entered')
  local e, r, first = m[1] or '', tonumber(m[2] or '0'), tonumber(m[3] or '1')
  local last, line = tonumber(m[5] or '0'), tonumber(m[6] or '1')
  local function all()
    local from, dump = 0, false
    if first > 1 then dump, from = redis.call('GET', keys[3]), tonumber(m[4]) end
    return {e, r, m[7] or '', last, m[8] or '', epoch ~= '' and 1 or 0, dump, redis.call('LRANGE', keys[2], from - first + 1, -1), line, redis.call('LRANGE', keys[4], 0, -1)}
  end
  if epoch == '' then return all() end
  if epoch ~= e or revision > r or number > last then return all() end
  local changes, lines, dump = {}, {}, false
  if revision == r then
    if stamp ~= (m[7] or '') then return all() end
  elseif revision < first and first > 1 then
    dump = redis.call('GET', keys[3])
    changes = redis.call('LRANGE', keys[2], tonumber(m[4]) - first + 1, -1)
  elseif revision == 0 then changes = redis.call('LRANGE', keys[2], 0, -1)
  else
    changes = after(keys[2], revision, first, stamp)
    if not changes then return all() end
  end
  if number == last then
    if entered ~= (m[8] or '') then return all() end
  elseif number < line then
    number = line - 1
    lines = redis.call('LRANGE', keys[4], 0, -1)
  else
    lines = after(keys[4], number, line, entered)
    if not lines then return all() end
  end
  return {e, r, m[7] or '', last, m[8] or '', 0, dump, changes, number + 1, lines}
end
local state = read(KEYS, ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), ARGV[5])
`;

export const READ_SCRIPT: Script = toScript(`${READ_STATE}
return state
`);

/**
 * Writes changes after a revision, and lines of the journal. A client can send it twice, where the connection was lost before the answer: what is
 * written already is found by its stamp.
 *
 * ARGV after that of `READ`: its stamp, epoch of a new session, milliseconds until it expires (0: never), lines that are kept, whether the journal
 * is emptied, channel, message, changes (empty: none), lines.
 */
export const COMMIT_SCRIPT: Script = toScript(`${READ_STATE}
local meta, log, dump, journal = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local epoch, revision, number, stamp, changes = state[1], state[2], state[4], ARGV[6], ARGV[13]
local function isOwn(text) return string.sub(text or '', 1, ${STAMP_LENGTH}) == stamp end
if state[6] == 0 then
  local lines = state[10]
  local first, count = nil, 0
  for i, text in ipairs(lines) do
    if isOwn(text) then first, count = first or i, count + 1 end
  end
  if first or (changes ~= '' and isOwn(state[8][1])) then
    local before = {}
    for i = 1, (first or 1) - 1 do before[i] = lines[i] end
    local at = first and state[9] + first - 2 + count or tonumber(ARGV[4])
    return {1, {epoch, changes == '' and revision or tonumber(ARGV[2]) + 1, stamp, at, count > 0 and stamp or ARGV[5], 0, false, {}, state[9], before}, 0, 0}
  end
end
if state[6] == 1 or (changes ~= '' and revision ~= tonumber(ARGV[2])) then return {0, state, 0, 0} end
if epoch == '' then
  epoch = ARGV[7]
  redis.call('HSET', meta, 'epoch', epoch)
end
local bytes = 0
if changes ~= '' then
  redis.call('RPUSH', log, stamp .. changes)
  revision = redis.call('HINCRBY', meta, 'revision', 1)
  redis.call('HSET', meta, 'stamp', stamp)
  bytes = redis.call('HINCRBY', meta, 'bytes', #changes)
end
local line = tonumber(redis.call('HGET', meta, 'line') or '1')
if ARGV[10] == '1' then
  redis.call('DEL', journal)
  line = number + 1
end
for i = 14, #ARGV do
  redis.call('RPUSH', journal, stamp .. ARGV[i])
  number = number + 1
end
local extra = number - line + 1 - tonumber(ARGV[9])
if extra > 0 then
  redis.call('LTRIM', journal, extra, -1)
  line = line + extra
end
redis.call('HSET', meta, 'number', number, 'line', line)
if #ARGV > 13 then redis.call('HSET', meta, 'entered', stamp) end
local ttl = tonumber(ARGV[8])
if ttl > 0 then for i = 1, #KEYS do redis.call('PEXPIRE', KEYS[i], ttl) end end
if ARGV[12] ~= '' then redis.call('PUBLISH', ARGV[11], ARGV[12]) end
local entered = #ARGV > 13 and stamp or state[5]
return {1, {epoch, revision, stamp, number, entered, 0, false, {}, state[9], state[10]}, redis.call('LLEN', log), bytes}
`);

/** Keeps the last changes only: another process may be about to read them. ARGV: epoch, revision, its stamp, dump. */
export const WRITE_DUMP: Script = toScript(`
local m = redis.call('HMGET', KEYS[1], 'epoch', 'first', 'dumped', 'revision', 'stamp')
local revision, first = tonumber(ARGV[2]), tonumber(m[2] or '1')
if m[1] ~= ARGV[1] or revision <= tonumber(m[3] or '0') or revision > tonumber(m[4] or '0') then return 0 end
local written = redis.call('LINDEX', KEYS[2], revision - first)
if not written or string.sub(written, 1, ${STAMP_LENGTH}) ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[3], ARGV[4])
local ttl = redis.call('PTTL', KEYS[1])
if ttl > 0 then redis.call('PEXPIRE', KEYS[3], ttl) end
local kept = math.max(first, revision - 99)
redis.call('LTRIM', KEYS[2], kept - first, -1)
redis.call('HSET', KEYS[1], 'first', kept, 'dumped', revision, 'bytes', 0)
return 1
`);

/** Reads the fields that have changed after a revision; all where that is not a part of what is here. Keys: fields, changes. ARGV: revision, its stamp. */
export const READ_FIELDS: Script = toScript(`
local m = redis.call('HMGET', KEYS[1], 'revision', 'stamp')
local revision, stamp = tonumber(m[1] or '0'), m[2] or ''
local known = tonumber(ARGV[1])
if revision == known and stamp == ARGV[2] then return {revision, stamp, 0, {}, {}} end
local names = {}
if revision > known then names = redis.call('LRANGE', KEYS[2], known - revision - 1, -1) end
if known == 0 and #names == revision then table.insert(names, 1, '') end
if #names ~= revision - known + 1 or string.sub(names[1], 1, ${STAMP_LENGTH}) ~= ARGV[2] then
  return {revision, stamp, 1, {}, redis.call('HGETALL', KEYS[1])}
end
local values = {}
table.remove(names, 1)
for i, name in ipairs(names) do
  names[i] = string.sub(name, ${STAMP_LENGTH + 1})
  values[i] = redis.call('HGET', KEYS[1], names[i])
end
return {revision, stamp, 0, names, values}
`);

/** Changes one field. ARGV: what to do (set, add, delete, activate, deactivate), field, value, channel, message, stamp. */
export const WRITE_FIELD: Script = toScript(`
local verb, field, value = ARGV[1], ARGV[2], ARGV[3]
local before = redis.call('HGET', KEYS[1], field)
if verb == 'add' and before then return {0, before} end
if verb == 'delete' then
  if not before then return {0, ''} end
  redis.call('HDEL', KEYS[1], field)
elseif verb == 'set' or verb == 'add' then
  redis.call('HSET', KEYS[1], field, value)
else
  local ids, list = cjson.decode(value), {}
  local named = {}
  for _, id in ipairs(ids) do named[id] = true end
  for _, id in ipairs(before and cjson.decode(before) or {}) do
    if not named[id] then list[#list + 1] = id end
  end
  if verb == 'activate' then for _, id in ipairs(ids) do list[#list + 1] = id end end
  redis.call('HSET', KEYS[1], field, #list == 0 and '[]' or cjson.encode(list))
end
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('HSET', KEYS[1], 'stamp', ARGV[6])
redis.call('RPUSH', KEYS[2], ARGV[6] .. field)
redis.call('LTRIM', KEYS[2], -10000, -1)
redis.call('PUBLISH', ARGV[4], ARGV[5])
return {1, ''}
`);
