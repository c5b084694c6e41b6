import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { readManifest } from '../../../scripts/manifest/manifest.ts'

const shipped = Object.keys(readManifest(root)?.files ?? {}).filter((file) => /^plugins\/[^/]+\/index\.ts$/.test(file))
const isComplete = shipped.every((file) => existsSync(join(root, file)))

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

  it('names only messages and codes that a source contains, with … for values, skipped if a plugin is deleted', function () {
    if (!isComplete) this.skip()
    const named = messages.filter((message) => message !== 'Retry-After')
    expect(named).to.include.members(['PRECONDITION_FAILED', 'migrations pending'])
    expect(named.filter((message) => !sources.some((source) => contains(source, message)))).to.deep.equal([])
  })
})

/** Whether the source has the code, or all parts of the message in their order and near each other. */
function contains(source: string, message: string): boolean {
  if (/^[A-Z_]+$/.test(message)) return source.includes(`'${message}'`)
  const parts = message.split('…').map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(parts.filter(Boolean).join('[\\s\\S]{0,120}?')).test(source)
}
