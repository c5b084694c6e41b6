import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { errorCatalogue } from '#app/kernel/boot/error-catalogue.ts'
import { plugins } from '#app/plugins.ts'
import { root } from './support/app.ts'

const codes = new Set(errorCatalogue(plugins).map(({ code }) => code))

/** The sources without tests; strings that are joined by + are written as one. */
const sources = globSync('{app,plugins,scripts}/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(root, file), 'utf8').replace(/['`] \+\s+['`]/g, ''))

describe('docs/troubleshooting.md', () => {
  const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')
  const cells = page.split('\n').flatMap((line) => /^\| (.+?) \| /.exec(line)?.[1] ?? [])
  const messages = cells
    .filter((cell) => cell !== 'Message' && !cell.startsWith('Node: '))
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message))

  it('names only error codes that exist', () => {
    const named = messages.filter((message) => /^[A-Z_]+$/.test(message))
    expect(named).to.include('PRECONDITION_FAILED')
    expect(named.filter((code) => !codes.has(code))).to.deep.equal([])
  })

  it('names only messages that a source contains, with … for values', () => {
    const named = messages.filter((message) => !/^[A-Z_]+$|^Retry-After$/.test(message))
    expect(named).to.have.length.greaterThan(40)
    expect(named.filter((message) => !sources.some((source) => contains(source, message)))).to.deep.equal([])
  })
})

/** Whether all parts of a message are in the source, in their order and near each other. */
function contains(source: string, message: string): boolean {
  const parts = message.split('…').map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(parts.filter(Boolean).join('[\\s\\S]{0,120}?')).test(source)
}
