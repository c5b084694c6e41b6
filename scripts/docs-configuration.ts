import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readArguments } from './support/arguments.ts'
import { configurationMarkdown } from './support/configuration-markdown.ts'
import { root } from './support/project.ts'

readArguments({ usage: 'npm run docs -- configuration\n\nWrites docs/configuration.md from .env.example.' })
const example = readFileSync(resolve(root, '.env.example'), 'utf8')
writeFileSync(resolve(root, 'docs/configuration.md'), configurationMarkdown(example))
console.log('Wrote docs/configuration.md.')
