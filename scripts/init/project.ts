import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Choice, hashFiles, readManifest, writeManifest } from '../manifest/manifest.ts'
import { ownedFile, readOwnership } from '../manifest/ownership.ts'
import { removePart } from '../support/remove-part.ts'
import { filesIn, type Removal } from './removal.ts'

/** The name of a project, as `package.json` has it, and its title. */
export interface Identity {
  readonly name: string
  readonly title: string
}

export function writeRemoval(root: string, { gone, edited }: Removal): void {
  for (const file of gone) removePart(root, file)
  for (const [file, text] of edited) writeFileSync(join(root, file), text)
}

/** Writes what a project has instead of the template: its name, its title, its README and its list of own files. */
export function writeIdentity(root: string, identity: Identity): void {
  const edit = (file: string, change: (text: string) => string) => {
    if (existsSync(join(root, file))) writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')))
  }
  const { name, title } = identity
  const toJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  edit('package.json', (text) => toJson({ ...JSON.parse(text), name, version: '0.1.0', description: title }))
  edit('package-lock.json', (text) => {
    const lock = JSON.parse(text)
    const packages = { ...lock.packages, '': { ...lock.packages[''], name, version: '0.1.0' } }
    return toJson({ ...lock, name, version: '0.1.0', packages })
  })
  edit('app/plugins.ts', (text) =>
    text.replace(
      /const info = \{ title: '[^']*', version: '[^']*' \}/,
      `const info = { title: '${title}', version: '0.1.0' }`,
    ),
  )
  edit(ownedFile, (text) => `${text.trimEnd()}\nREADME.md\nSECURITY.md\n.ci/run\n`)
  writeFileSync(join(root, 'README.md'), readme(identity))
}

/** Stores the choice and the hashes of the files that are left, so that `npm run update` merges only these. */
export function recordChoice(root: string, choice: Choice): void {
  const manifest = readManifest(root)
  if (!manifest) return
  const isOfTemplate = readOwnership(root)
  const files = filesIn(root).filter((file) => file in manifest.files && isOfTemplate(file))
  writeManifest(root, { ...manifest, init: choice, files: hashFiles(root, files.sort()) })
}

function readme({ title }: Identity): string {
  return `# ${title}

A service that answers in [JSON:API 1.1](https://jsonapi.org/format/1.1/) from PostgreSQL.

\`\`\`sh
npm install && npm start
npm test
\`\`\`

\`npm start\` serves http://127.0.0.1:3000 with an embedded database in \`.data/\`; with \`DATABASE_URL\` a PostgreSQL server is used.
\`npm run check\` checks types, style and imports; \`npm run prove\` checks every resource against the rules of JSON:API.

## Where things are

| Folder | Contents |
|---|---|
| \`resources/\` | a folder per resource type, and \`shared/\` for code that several of them use |
| \`app/plugins.ts\` | the list of features; each is a folder in \`plugins/\` |
| \`.env.example\` | the settings; copy it to \`.env\` |
| \`test/\` | tests of the application, and the test kit |
| \`docs/\` | [documentation](docs/index.md): [getting started](docs/getting-started.md), [resources](docs/resources.md), [plugins](docs/plugins.md), [deployment](docs/deployment.md) |

## Add a resource

\`\`\`sh
npm run make -- resource people 'name:string!'
npm start
\`\`\`

\`npm run\` lists all commands, [Commands](docs/commands.md) describes them. \`npm run update\` merges a newer version of the template
that this project was made from: [Upgrading](docs/upgrading.md).
`
}
