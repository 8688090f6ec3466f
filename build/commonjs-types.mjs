/**
 * The declarations of an entry for programs that are CommonJS: those of the ES module, which such a program may import for their types
 * only, with the values declared again.
 */
export function writeCommonJsTypes(name, values) {
  const base = name.split('/').at(-1);
  const from = `'./${base}.js'`;
  const mode = "{ 'resolution-mode': 'import' }";
  const lines = values.toSorted().map((value) => {
    const reference = `import(${from}, { with: ${mode} }).${value}`;
    // A class is a type too, and by its name alone among the values.
    const type = /^[A-Z][a-z]/u.test(value) ? `export type ${value} = ${reference};\n` : '';
    return `${type}export declare const ${value}: typeof ${reference};\n`;
  });
  return `export type * from ${from} with ${mode};\n${lines.join('')}`;
}
