import { expect, it } from 'vitest';
import { CONVENTIONS, readFirstName } from '../../src/conventions/conventions.js';

const INTRO = `# Conventions

Find out which names vouch knows, and say what the names of your API mean.

What a property or parameter is for (the cursor of the next page, the flag of a removed item, the time of a change) is decided by the structure of the document
first, and by its name second. Case and separators do not matter: \`nextPage\`, \`next_page\` and \`Next-Page\` are equal. Where your names are others, for example
in another language, say what they mean: in the option \`conventions\` of [options](options.md) and of the [configuration file](configuration.md), or in the document
([hints](state.md#the-hints-x-mock)).

\`\`\`yaml
x-mock:
  conventions:
    envelopes.items: stapel
    pages.next: weiter
    queries.token: [zeiger, marke]
\`\`\`

Each name then counts as the first one of the row. \`HINT_INVALID\` reports a meaning that does not exist. In the names, \`*\` is any text, \`(a|b)\` one of two, and \`?\`
makes a letter or a group optional. The last column has public documents or services with such a name.

`;

// `npx vitest run test/conventions/page.test.ts --update` writes the page anew.
it('docs/conventions.md has every meaning that a property or a parameter can have', async () => {
  const rows = [...CONVENTIONS].filter(([idea]) => readFirstName(idea) !== undefined);
  const lines = rows.map(([idea, { where, names, seen }]) => {
    const shown = names
      .trim()
      .split(/\s+/)
      .map((name) => `\`${name.replaceAll('|', String.raw`\|`)}\``)
      .join(' ');
    return `| \`${idea}\` | ${where} | ${shown} | ${seen} |`;
  });
  const page = `${INTRO}| meaning | of | names | seen in |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`;
  await expect(page).toMatchFileSnapshot('../../docs/conventions.md');
});
