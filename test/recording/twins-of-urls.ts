// Services whose creates are not answered with the item: it is at the URL of the answer or of the request.
import { arrayOf, BOOLEAN, inPath, INTEGER, object, ref, TEXT } from '../document-parts.js';
import { gone, idOf, type Reply, shows, takes, toSpec, type Twin } from './twins.js';

type Json = Readonly<Record<string, unknown>>;

const error = (status: number, text: string): Reply => [status, { error: text }];
const made = { responses: { 201: { description: 'created' }, 400: { description: 'refused' } } };
const FORM = 'application/x-www-form-urlencoded';

/** The path of the first reader in a list. */
const firstOf =
  (index: number) =>
  (bodies: readonly string[]): string =>
    `/readers/${/"reader_id":"(\w+)"/.exec(bodies[index] ?? '')?.[1]}`;

/** Forms, and an empty answer with the URL of the new item. A repeated one is refused with 400. */
const READERS: Twin = {
  name: 'readers that are created by forms',
  document: toSpec(
    {
      '/readers': {
        get: shows(object({ readers: arrayOf(ref('Reader')), count: INTEGER })),
        post: { ...takes(object({ email: TEXT, digest: BOOLEAN }, 'email'), FORM), ...made },
      },
      '/readers/{reader_id}': { ...inPath('reader_id'), get: shows(ref('Reader')), delete: gone },
    },
    { Reader: object({ reader_id: TEXT, email: TEXT, digest: BOOLEAN, role: TEXT, bounces: INTEGER }) },
  ),
  start: () => {
    const readers = new Map<string, Json>();
    let count = 0;
    return ({ method, path, bytes }) => {
      const id = path.split('/')[2] ?? '';
      if (method === 'POST') {
        const form = new URLSearchParams(bytes.toString());
        const email = form.get('email');
        if ([...readers.values()].some((each) => each['email'] === email)) return error(400, `Known reader: ${email}`);
        const key = `rd_${(count += 1) * 104_729}`;
        readers.set(key, { reader_id: key, email, digest: form.get('digest') === 'true', role: 'member', bounces: 0 });
        return [201, undefined, undefined, `/v1/readers/${key}`];
      }
      if (id === '') return [200, { readers: [...readers.values()], count: readers.size }];
      if (!readers.has(id)) return error(404, 'Not found');
      if (method !== 'DELETE') return [200, readers.get(id)];
      readers.delete(id);
      return [204];
    };
  },
  recorded: [
    ['GET', '/readers'],
    ['POST', '/readers', 'email=ada%40a.example&digest=true'],
    ['POST', '/readers', 'email=bo%40a.example'],
    ['POST', '/readers', 'email=bo%40a.example'],
    ['GET', '/readers'],
    ['GET', '/readers/rd_none'],
    ['DELETE', '/readers/rd_104729'],
    ['GET', '/readers'],
  ],
  fresh: [
    ['GET', '/readers'],
    ['POST', '/readers', 'email=cy%40b.example'],
    ['POST', '/readers', 'email=di%40b.example&digest=true'],
    ['POST', '/readers', 'email=cy%40b.example'],
    ['GET', '/readers'],
    ['GET', firstOf(4)],
    ['DELETE', firstOf(4)],
    ['GET', firstOf(4)],
    ['GET', '/readers'],
    ['GET', '/readers/rd_other'],
    ['DELETE', '/readers/rd_other'],
  ],
};

/** Items that PUT creates at their own path, with an empty answer; the same PUT again changes nothing. */
const TANKS: Twin = {
  name: 'tanks that are created by PUT',
  document: toSpec(
    {
      '/tanks': { get: shows(arrayOf(ref('Tank'))) },
      '/tanks/{name}': {
        ...inPath('name'),
        get: shows(ref('Tank')),
        put: {
          ...takes(object({ volume: INTEGER, heated: BOOLEAN })),
          responses: { 201: { description: 'created' }, 204: { description: 'replaced' } },
        },
        delete: gone,
      },
    },
    { Tank: object({ name: TEXT, volume: INTEGER, heated: BOOLEAN, node: TEXT, kind: TEXT }) },
  ),
  start: () => {
    const tanks = new Map<string, Json>();
    return ({ method, path, sent }) => {
      const name = path.split('/')[2] ?? '';
      if (name === '') return [200, [...tanks.values()]];
      const isNew = !tanks.has(name);
      if (method === 'PUT') {
        tanks.set(name, { name, volume: 10, heated: false, node: 'east-1', kind: 'classic', ...sent });
        return [isNew ? 201 : 204];
      }
      if (isNew) return error(404, 'no such tank');
      if (method !== 'DELETE') return [200, tanks.get(name)];
      tanks.delete(name);
      return [204];
    };
  },
  recorded: [
    ['GET', '/tanks'],
    ['PUT', '/tanks/malt', { volume: 40, heated: true }],
    ['PUT', '/tanks/malt', { volume: 40, heated: true }],
    ['PUT', '/tanks/wort', {}],
    ['GET', '/tanks/malt'],
    ['GET', '/tanks'],
    ['PUT', '/tanks/wort', { volume: 30 }],
    ['GET', '/tanks/none'],
    ['DELETE', '/tanks/malt'],
    ['GET', '/tanks'],
  ],
  fresh: [
    ['GET', '/tanks'],
    ['PUT', '/tanks/yeast', { heated: true }],
    ['GET', '/tanks/yeast'],
    ['PUT', '/tanks/hops', { volume: 25 }],
    ['GET', '/tanks'],
    ['PUT', '/tanks/hops', { volume: 26 }],
    ['GET', '/tanks/hops'],
    ['GET', '/tanks/ghost'],
    ['DELETE', '/tanks/hops'],
    ['DELETE', '/tanks/hops'],
    ['GET', '/tanks'],
  ],
};

/** Creates and changes are answered with the id alone; what the service requires and the document does not. */
const SCENES: Twin = {
  name: 'scenes with an array that has a usual name',
  document: toSpec(
    {
      '/scene': { post: { ...takes(ref('Scene')), ...shows(object({ id: TEXT })) } },
      '/scene/{id}': {
        ...inPath('id'),
        get: shows(ref('Scene')),
        put: { ...takes(ref('Scene')), ...shows(object({ id: TEXT })) },
        delete: gone,
      },
    },
    { Scene: object({ id: TEXT, label: TEXT, dark: BOOLEAN, nodes: arrayOf(object({ id: TEXT, kind: TEXT })) }) },
  ),
  start: () => {
    const scenes = new Map<string, Json>();
    let count = 0;
    return ({ method, path, sent }) => {
      const id = path.split('/')[2] ?? '';
      if (id !== '' && !scenes.has(id)) return error(404, `no scene ${id}`);
      if (method === 'GET') return [200, scenes.get(id)];
      if (method === 'DELETE') {
        scenes.delete(id);
        return [204];
      }
      if (sent['nodes'] === undefined) return error(400, 'nodes are missing');
      const key = id === '' ? `sc_${(count += 1) * 7919}` : id;
      scenes.set(key, { ...sent, id: key });
      return [200, { id: key }];
    };
  },
  recorded: [
    ['POST', '/scene', { label: 'day', nodes: [] }],
    ['POST', '/scene', { label: 'night', dark: true, nodes: [{ id: 'n1', kind: 'lamp' }] }],
    ['GET', idOf(0, '/scene/')],
    ['GET', idOf(1, '/scene/')],
    ['PUT', idOf(1, '/scene/'), { label: 'dusk', nodes: [] }],
    ['GET', idOf(1, '/scene/')],
    ['POST', '/scene', { label: 'none' }],
    ['GET', '/scene/sc_none'],
    ['DELETE', idOf(0, '/scene/')],
  ],
  fresh: [
    ['POST', '/scene', { label: 'dawn', dark: true, nodes: [{ id: 'n7', kind: 'fan' }] }],
    ['GET', idOf(0, '/scene/')],
    ['POST', '/scene', { label: 'empty' }],
    ['PUT', idOf(0, '/scene/'), { label: 'noon', nodes: [] }],
    ['GET', idOf(0, '/scene/')],
    ['POST', '/scene', { nodes: [] }],
    ['GET', idOf(5, '/scene/')],
    ['GET', '/scene/sc_other'],
    ['DELETE', idOf(5, '/scene/')],
    ['GET', idOf(5, '/scene/')],
  ],
};

export const TWINS_OF_URLS: readonly Twin[] = [READERS, TANKS, SCENES];
