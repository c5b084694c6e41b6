import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { planMentions } from '../support/mentions.ts'

/** A passage about the demo and its replacement. */
interface Edit {
  readonly file: string
  readonly passage: RegExp
  readonly instead: string
}

const edits: readonly Edit[] = [
  { file: 'app/plugins.ts', passage: /'Music Catalog API'/, instead: `'My API'` },
  { file: 'app/plugins.ts', passage: /\n {4}tags: \[\n(?: {6}.*\n)+ {4}\],/, instead: '' },
  { file: 'package.json', passage: / 'tsc -p examples [^']*'/, instead: '' },
  // The remaining tests do not cover every error.
  { file: 'test/template/mocharc.cjs', passage: /^\/\/ Only the whole suite.*\n.*WHOLE_SUITE.*\n\n/m, instead: '' },
  {
    file: 'test/template/support/hooks.ts',
    passage: /const unseen = (takeUnseenCodes\(\)\n)(?:.*\n){3}/,
    instead: '$1',
  },
  { file: 'README.md', passage: /^curl .*\n/m, instead: `curl 'http://127.0.0.1:3000/notes'\n` },
  { file: 'README.md', passage: /demo data is stored/, instead: 'the data is stored' },
  { file: 'README.md', passage: / `npm run demo:remove` removes\s+the music catalogue and [^.]*\./, instead: '' },
  {
    file: 'README.md',
    passage: /`resources\/albums\/entity\.ts` is(?:.|\n)*?```\n\nThis declaration provides(?:.|\n)*?\n\n/,
    instead: `\`resources/notes/entity.ts\` is a MikroORM entity; \`resources/notes/resource.ts\` declares what the API exposes of it:

<!-- resources/notes/resource.ts -->
\`\`\`ts
\`\`\`

This declaration provides \`GET\` and \`POST /notes\`, \`GET\`, \`PATCH\` and \`DELETE /notes/1\`, with validation, filters,
sorting, sparse fieldsets and pagination. The compiler checks every name against the entity.

The resource is an example. When you have one of your own, delete the folder and this section, then run \`npm run make -- types\` and
\`npm run openapi -- diff --write\`.

`,
  },
  { file: 'docs/getting-started.md', passage: / with demo data: a music catalogue/, instead: '' },
  {
    file: 'docs/getting-started.md',
    passage: /curl -g .*\n```\n```json\n(?:.|\n)*?```\n\nThe response also has links, which are left out here\. /,
    instead: `curl 'http://127.0.0.1:3000/notes'\n\`\`\`\n\n`,
  },
  { file: 'docs/getting-started.md', passage: /\n`npm run demo:remove` removes .*\n.*\n/, instead: '' },
  {
    file: 'docs/performance.md',
    passage:
      /`test\/template\/store\/statements\/budget\.test\.ts` asserts it for reads and writes,\n`npm run prove` for every type\./,
    instead: '`npm run prove` checks it for every type.',
  },
  {
    file: 'docs/authorization.md',
    passage:
      /`test\/template\/authorization\/leaks\.test\.ts` checks this for every type of the registry, and `npm run prove` for your own types\./,
    instead: '`npm run prove` checks this for every type.',
  },
  { file: 'docs/typescript-client.md', passage: /\n## Example front end\n[\s\S]*$/, instead: '' },
  { file: 'docs/commands.md', passage: /demo data and ten units/, instead: 'the seeds and ten units' },
  { file: 'docs/commands.md', passage: /, an update of an older project, demo removal(?=,)/, instead: '' },
]

export interface Edits {
  /** The edited sources by file. */
  readonly edited: ReadonlyMap<string, string>
  /** Passages that were not found, because the file was changed. */
  readonly missed: readonly string[]
}

export function planEdits(root: string, gone: ReadonlySet<string>): Edits {
  const edited = new Map<string, string>()
  const missed: string[] = []
  const read = (file: string) => edited.get(file) ?? readFileSync(join(root, file), 'utf8')
  for (const { file, passage, instead } of edits) {
    if (!existsSync(join(root, file))) continue
    if (passage.test(read(file))) edited.set(file, read(file).replace(passage, instead))
    else missed.push(`${file}: ${passage}`)
  }
  for (const [file, source] of planMentions(root, gone, read)) edited.set(file, source)
  return { edited, missed }
}

export function writeEdits(root: string, { edited }: Edits): void {
  for (const [file, source] of edited) writeFileSync(join(root, file), source)
}

/** Replaces the example of the README. */
export function showExample(root: string): void {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const shown = readme.replace(/<!-- (\S+) -->\n```ts\n/g, (mark, file: string) => {
    return mark + readFileSync(join(root, file), 'utf8')
  })
  writeFileSync(join(root, 'README.md'), shown)
}
