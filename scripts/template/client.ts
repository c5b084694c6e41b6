import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '../support/arguments.ts'
import { root } from '../support/root.ts'
import { bundleClient } from './client-bundle.ts'

readArguments({
  usage: `npm run template -- client

Writes clients/typescript/dist: the client in one module, and its types. A project has these files instead of the sources.`,
})

const folder = join(root, 'clients/typescript/dist')
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(await bundleClient())) writeFileSync(join(folder, name), text)
