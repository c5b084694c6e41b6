import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { configurationMarkdown } from './support/configuration-markdown.ts'
import { root } from './support/project.ts'

const example = readFileSync(resolve(root, '.env.example'), 'utf8')
writeFileSync(resolve(root, 'docs/configuration.md'), configurationMarkdown(example))
console.log('Wrote docs/configuration.md.')
