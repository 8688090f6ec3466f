import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock, type MockReload } from '../../src/index.js';
import { startProgram } from '../cli/run-program.js';
import { createFolder } from '../folders.js';
import { inPath, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, object, TEXT } from '../schema-parts.js';

const ROOM = object({ id: TEXT, name: TEXT }, 'id', 'name');
const DESK = object({ id: TEXT, label: TEXT }, 'id', 'label');
const DOCUMENT = toDocument({
  '/rooms': { get: shows(arrayOf(ROOM)), post: takes(object({ name: TEXT }, 'name'), ROOM, 201) },
  '/rooms/{id}': { ...inPath('id'), get: shows(ROOM), delete: REMOVED },
  '/rooms/{room}/desks': {
    ...inPath('room'),
    get: shows(arrayOf(DESK)),
    post: takes(object({ label: TEXT }, 'label'), DESK, 201),
  },
});
const NORTH = { id: 'north', name: 'North' };

interface Opened {
  readonly mock: Mock;
  readonly file: string;
  readonly read: () => unknown;
  /** The next reload. */
  readonly reloaded: () => Promise<MockReload>;
}

async function open(file: string, more: object = {}): Promise<Opened> {
  let tell: (reload: MockReload) => void = () => undefined;
  const mock = await createMock({
    spec: DOCUMENT,
    fixtures: { rooms: [NORTH], 'rooms.desks': [] },
    state: { file },
    watch: true,
    onReload: (reload) => tell(reload),
    ...more,
  });
  onTestFinished(mock.close);
  const reloaded = (): Promise<MockReload> => new Promise((resolve) => (tell = resolve));
  return { mock, file, read: () => JSON.parse(readFileSync(file, 'utf8')), reloaded };
}

const create = async (mock: Mock, name: string): Promise<{ readonly id: string }> => {
  const headers = { 'content-type': 'application/json' };
  const response = await mock.fetch('/rooms', { method: 'POST', headers, body: JSON.stringify({ name }) });
  return (await response.json()) as { readonly id: string };
};
const list = async (mock: Mock): Promise<unknown> => (await mock.fetch('/rooms')).json();

describe('the file of the state', () => {
  it('keeps what requests create, change and remove', async () => {
    const first = await open(join(createFolder(), 'state.json'));
    expect(first.read()).toEqual({ rooms: [NORTH], 'rooms.desks': [] });
    const created = await create(first.mock, 'South');
    const body = '{"label":"A"}';
    const headers = { 'content-type': 'application/json' };
    await first.mock.fetch(`/rooms/${created.id}/desks`, { method: 'POST', headers, body });
    await first.mock.fetch('/rooms/north', { method: 'DELETE' });
    await first.mock.close();
    const second = await open(first.file);
    expect(await list(second.mock)).toEqual([{ ...created, name: 'South' }]);
    expect(await (await second.mock.fetch(`/rooms/${created.id}/desks`)).json()).toMatchObject([{ label: 'A' }]);
    // Nothing but the file is left in the folder.
    expect(readdirSync(join(first.file, '..'))).toEqual(['state.json']);
  });

  it('has the items of the default session only, and the fixtures again after a reset', async () => {
    const { mock, read, file } = await open(join(createFolder(), 'state.json'));
    await mock.session('other').fetch('/rooms/north', { method: 'DELETE' });
    await create(mock, 'South');
    mock.reset();
    await mock.close();
    expect(read()).toEqual({ rooms: [NORTH], 'rooms.desks': [] });
    expect(file).toMatch(/state\.json$/);
  });

  it('is reloaded when it is edited, and not when the mock has written it', async () => {
    const { mock, file, reloaded } = await open(join(createFolder(), 'state.json'));
    await create(mock, 'South');
    const edited = reloaded();
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('South');
    writeFileSync(file, JSON.stringify({ rooms: [{ id: 'east', name: 'East' }] }));
    expect(await edited).toMatchObject({ applied: true, changed: [file] });
    expect(await list(mock)).toEqual([{ id: 'east', name: 'East' }]);
  });

  it('keeps the items of before for an edit with a mistake, and says where it is', async () => {
    const { mock, file, reloaded } = await open(join(createFolder(), 'state.json'));
    const edited = reloaded();
    writeFileSync(file, '{\n  "rooms": [\n    { "id": "a", "name": "A" },\n    { "id": "b", "name": 7 }\n  ]\n}');
    const { error, applied } = await edited;
    expect(applied).toBe(false);
    expect(error?.at).toMatchObject({ file, line: 4, pointer: '/rooms/1/name' });
    expect(await list(mock)).toEqual([NORTH]);
  });

  it.each([
    ['{"rooms":[', /neither valid JSON nor valid YAML/],
    ['[]', /the state must be an object with an array for each collection/],
    ['{"room":[]}', /there is no collection "room"[\s\S]*did you mean "rooms"/],
    ['{"rooms":{}}', /"rooms" must be an array of items/],
    ['{"rooms":[{"id":1,"name":"x"}]}', /not a valid item of "rooms"[\s\S]*remove the file to start with the fixtures/],
  ])('ends the start with the mistake: %s', async (text, message) => {
    const file = join(createFolder({ 'state.json': text }), 'state.json');
    await expect(open(file)).rejects.toThrow(message);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('ends the start if it cannot be written, and reports it later', async () => {
    const folder = createFolder();
    await expect(open(join(folder, 'none', 'state.json'))).rejects.toThrow('STATE_UNWRITABLE');
    mkdirSync(join(folder, 'own'));
    const { mock, reloaded } = await open(join(folder, 'own', 'state.json'));
    rmSync(join(folder, 'own'), { recursive: true });
    const reported = reloaded();
    await create(mock, 'South');
    expect((await reported).error?.code).toBe('STATE_UNWRITABLE');
    expect(await list(mock)).toHaveLength(2);
    mkdirSync(join(folder, 'own'));
  });

  it('excludes a store', async () => {
    const store = { redis: 'redis://127.0.0.1:1' };
    await expect(open(join(createFolder(), 'state.json'), { store })).rejects.toThrow(/"state.file" and "store"/);
  });
});

describe('vouch serve --state', () => {
  it('has the items again after the process was killed', async () => {
    const folder = createFolder({ 'api.json': JSON.stringify(DOCUMENT) });
    const words = ['serve', 'api.json', '--port', '0', '--state', 'state.json'];
    const first = startProgram(words, { cwd: folder });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${await first.listening()}/rooms`, { method: 'POST', headers, body: '{"name":"South"}' });
    await expect.poll(() => readFileSync(join(folder, 'state.json'), 'utf8')).toContain('South');
    await first.end('SIGKILL');
    const second = startProgram(words, { cwd: folder });
    const rooms: unknown = await (await fetch(`${await second.listening()}/rooms`)).json();
    expect(rooms).toContainEqual(expect.objectContaining({ name: 'South' }));
    await second.end('SIGTERM');
  });
});

describe('vouch serve db.json', () => {
  it('serves its items without a document, and follows edits of the file', async () => {
    const folder = createFolder({ 'db.json': JSON.stringify({ posts: [{ id: '1', title: 'a' }] }) });
    const program = startProgram(['serve', 'db.json', '--port', '0'], { cwd: folder });
    const url = await program.listening();
    expect(await (await fetch(`${url}/posts/1`)).json()).toEqual({ id: '1', title: 'a' });
    expect(program.out()).toContain('fixtures of db.json (1 collection)');
    writeFileSync(join(folder, 'db.json'), JSON.stringify({ posts: [{ id: '1', title: 'b' }], tags: [{ id: 'x' }] }));
    await program.waitFor(/reloaded db\.json/);
    expect(await (await fetch(`${url}/posts/1`)).json()).toEqual({ id: '1', title: 'b' });
    expect((await fetch(`${url}/tags/x`)).status).toBe(200);
    expect(await program.end('SIGTERM')).toBe(0);
  });
});
