import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { URL } from 'node:url';
import { MockError, suggest } from '../../base/errors.js';
import { toPackageUrl } from '../../base/package-folder.js';
import { isObject } from '../../base/json.js';
import { readStrings } from '../pointer.js';
import { applyOverlay, type OverlayText } from './overlay.js';
import { parseText } from './parse.js';

/** Which preset a document gets: a name, the one that fits its title or servers (`auto`), or none. */
export type PresetChoice = string | false;

/** An overlay that ships with vouch for the document of a vendor. */
export interface Preset extends OverlayText {
  readonly name: string;
  /** Whether it is used whatever the document says. */
  readonly isChosen: boolean;
}

/**
 * Loads the presets that a document may get: all for `auto`, the one with a name, or none.
 *
 * @throws MockError `OPTION_INVALID` for an unknown name.
 */
export function loadPresets(choice: PresetChoice): readonly Preset[] {
  if (choice === false || choice === 'none') return [];
  const folder = toPackageUrl('presets/');
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => parse(file).name);
  const wanted = choice === 'auto' ? names : names.filter((name) => name === choice);
  if (wanted.length === 0 && choice !== 'auto') {
    const hint = suggest(choice, names) ?? `the presets are ${names.toSorted().join(', ')}, and none for no preset`;
    throw new MockError('OPTION_INVALID', `there is no preset "${choice}"`, { hint });
  }
  // Small files of the package: to read them asynchronously takes longer.
  return wanted.toSorted().map((name) => {
    const text = readFileSync(new URL(`${name}.yaml`, folder), 'utf8');
    return { name, text, file: `presets/${name}.yaml`, isChosen: choice !== 'auto' };
  });
}

/**
 * Applies the preset that was chosen, else the first one that fits the document. An action that matches nothing is not a problem: documents
 * of vendors differ between versions.
 */
export async function applyPreset(
  document: unknown,
  presets: readonly Preset[],
): Promise<{ readonly document: unknown; readonly preset: string | undefined }> {
  const found = presets.find((preset) => preset.isChosen || fits(preset, document));
  const changed = found === undefined ? document : (await applyOverlay(document, found)).document;
  return { document: changed, preset: found?.name };
}

/** Whether the title of a document matches, or a host of its servers is listed; `x-preset` is above `actions`. */
function fits({ text, file }: Preset, document: unknown): boolean {
  // Its actions are parsed where it fits only: that takes most of the time.
  const { value } = parseText(text.split(/^actions:/m)[0] ?? '', file, 'OVERLAY_INVALID');
  const match = isObject(value) ? value['x-preset'] : undefined;
  if (!isObject(match) || !isObject(document)) return false;
  const title = isObject(document['info']) ? document['info']['title'] : undefined;
  const hosts = new Set<unknown>(readStrings(match['hosts']));
  return (
    (typeof title === 'string' && readStrings(match['titles']).some((pattern) => new RegExp(pattern).test(title))) ||
    listHosts(document).some((host) => hosts.has(host))
  );
}

/** The hosts of the servers of a document, or its `host` in version 2.0. */
function listHosts(document: Readonly<Record<string, unknown>>): readonly unknown[] {
  const servers = Array.isArray(document['servers']) ? document['servers'] : [];
  const hosts = servers.map((server: unknown) => {
    const url = isObject(server) && typeof server['url'] === 'string' ? server['url'] : '';
    return /^https?:\/\/([^/:]+)/i.exec(url)?.[1]?.toLowerCase();
  });
  return [...hosts, document['host']];
}
