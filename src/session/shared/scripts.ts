import { createHash } from 'node:crypto';

/** A script with the name that Redis gives it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

function toScript(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

/** Reads what was written after a known state. Keys: meta, log, dump, journal, snapshots. */
const READ_STATE = `
local function read(keys, epoch, revision, number)
  local m = redis.call('HMGET', keys[1], 'epoch', 'revision', 'first', 'dumped', 'number', 'line')
  local e, r, first = m[1] or '', tonumber(m[2] or '0'), tonumber(m[3] or '1')
  local last, line = tonumber(m[5] or '0'), tonumber(m[6] or '1')
  local other = 0
  if epoch ~= '' and epoch ~= e then other, revision, number = 1, 0, 0 end
  local dump, changes, lines = false, {}, {}
  if revision < first - 1 then
    dump = redis.call('GET', keys[3])
    revision = tonumber(m[4])
  end
  if revision < r then changes = redis.call('LRANGE', keys[2], revision - first + 1, -1) end
  if number < line - 1 then number = line - 1 end
  if number < last then lines = redis.call('LRANGE', keys[4], number - line + 1, -1) end
  return {e, r, last, other, dump, changes, number + 1, lines}
end
`;

/** ARGV: epoch, revision, number. */
export const READ: Script = toScript(`${READ_STATE}
return read(KEYS, ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]))
`);

/**
 * Writes changes after a revision, and lines of the journal.
 *
 * ARGV: epoch, revision, number, epoch of a new session, milliseconds until it expires (0: never), lines that are kept, whether the journal is
 * emptied, channel, message, changes (empty: none), lines.
 */
export const COMMIT: Script = toScript(`${READ_STATE}
local meta, log, dump, journal = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local state = read(KEYS, ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]))
local epoch, revision = state[1], state[2]
if state[4] == 1 or (ARGV[10] ~= '' and revision ~= tonumber(ARGV[2])) then return {0, state, 0, 0} end
if epoch == '' then
  epoch = ARGV[4]
  redis.call('HSET', meta, 'epoch', epoch)
end
local bytes = 0
if ARGV[10] ~= '' then
  redis.call('RPUSH', log, ARGV[10])
  revision = redis.call('HINCRBY', meta, 'revision', 1)
  bytes = redis.call('HINCRBY', meta, 'bytes', #ARGV[10])
end
local number = state[3]
local line = tonumber(redis.call('HGET', meta, 'line') or '1')
if ARGV[7] == '1' then
  redis.call('DEL', journal)
  line = number + 1
end
for i = 11, #ARGV do
  redis.call('RPUSH', journal, ARGV[i])
  number = number + 1
end
local extra = number - line + 1 - tonumber(ARGV[6])
if extra > 0 then
  redis.call('LTRIM', journal, extra, -1)
  line = line + extra
end
redis.call('HSET', meta, 'number', number, 'line', line)
local ttl = tonumber(ARGV[5])
if ttl > 0 then for i = 1, #KEYS do redis.call('PEXPIRE', KEYS[i], ttl) end end
if ARGV[9] ~= '' then redis.call('PUBLISH', ARGV[8], ARGV[9]) end
return {1, {epoch, revision, number, 0, false, {}, state[7], state[8]}, redis.call('LLEN', log), bytes}
`);

/** Keeps the last changes only: another process may be about to read them. ARGV: epoch, revision, dump. */
export const WRITE_DUMP: Script = toScript(`
local m = redis.call('HMGET', KEYS[1], 'epoch', 'first', 'dumped', 'revision')
local revision, first = tonumber(ARGV[2]), tonumber(m[2] or '1')
if m[1] ~= ARGV[1] or revision <= tonumber(m[3] or '0') then return 0 end
redis.call('SET', KEYS[3], ARGV[3])
local ttl = redis.call('PTTL', KEYS[1])
if ttl > 0 then redis.call('PEXPIRE', KEYS[3], ttl) end
local kept = math.max(first, revision - 99)
redis.call('LTRIM', KEYS[2], kept - first, -1)
redis.call('HSET', KEYS[1], 'first', kept, 'dumped', revision, 'bytes', 0)
return 1
`);

/** Reads the fields that have changed after a revision. Keys: fields, changes. ARGV: revision. */
export const READ_FIELDS: Script = toScript(`
local revision = tonumber(redis.call('HGET', KEYS[1], 'revision') or '0')
local missing = revision - tonumber(ARGV[1])
if missing == 0 then return {revision, 0, {}, {}} end
if missing < 0 or missing > redis.call('LLEN', KEYS[2]) then return {revision, 1, {}, redis.call('HGETALL', KEYS[1])} end
local names = redis.call('LRANGE', KEYS[2], -missing, -1)
local values = {}
for i, name in ipairs(names) do values[i] = redis.call('HGET', KEYS[1], name) end
return {revision, 0, names, values}
`);

/** Changes one field. ARGV: what to do (set, add, delete, activate, deactivate), field, value, channel, message. */
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
redis.call('RPUSH', KEYS[2], field)
redis.call('LTRIM', KEYS[2], -10000, -1)
redis.call('PUBLISH', ARGV[4], ARGV[5])
return {1, ''}
`);
