import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#test/support/app.ts'

/** A row of a table of docs/life-of-a-request.md. */
export interface HookRow {
  readonly hook: string
  readonly after: string
  readonly before: string
  /** `yes` or `no`; empty for hooks of the boot. */
  readonly transaction: string
  readonly result: string
  readonly plugins: readonly string[]
}

export function readHookTable(): HookRow[] {
  const page = readFileSync(join(root, 'docs/life-of-a-request.md'), 'utf8')
  const lines = page.split('\n').filter((line) => /^\| `\w+` \|/.test(line))
  return lines.map((line) => {
    const cells = line.slice(2, -2).split(' | ')
    const [hook = '', after = '', before = ''] = cells
    const transaction = cells.length === 6 ? (cells[3] ?? '') : ''
    const plugins = [...(cells.at(-1) ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)
    return { hook: hook.replaceAll('`', ''), after, before, transaction, result: cells.at(-2) ?? '', plugins }
  })
}
