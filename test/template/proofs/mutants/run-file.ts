import { resolve } from 'node:path'
import { config } from 'chai'
import Mocha from 'mocha'
import { closeProjectApp, takeDirty } from '#test/support/app.ts'
import { resetTestDatabase } from '#test/support/database.ts'
import { clearLibrary } from '#test/template/support/library/index.ts'
import type { RunRequest, RunResult } from './protocol.ts'

config.useProxy = false
const suites = new Map<string, Mocha>()

/** The hook of `test/support/hooks.ts`. The databases stay open for the next mutant. */
const rootHooks: Mocha.RootHookObject = {
  async beforeEach() {
    if (takeDirty()) await resetTestDatabase()
  },
}

/** Runs the tests of a file until the first failure, and reports which tests reach which mutants. */
export async function runFile(
  { file, titles, isBoot }: RunRequest,
  listen: (onHit: (mutant: number) => void) => void,
): Promise<Omit<RunResult, 'loadHits'>> {
  const mocha = suites.get(file) ?? (await load(file))
  suites.set(file, mocha)
  mocha.grep(titles ? new RegExp(`^(?:${titles.map(escapeRegExp).join('|')})$`) : /^/)
  if (isBoot) await closeProjectApp()
  const startedAt = performance.now()
  const hits = new Map<number, { titles: Set<string>; isBoot: boolean }>()
  let test: string | null = null
  listen((mutant) => {
    const hit = hits.get(mutant) ?? { titles: new Set(), isBoot: false }
    hits.set(mutant, hit)
    if (test === null) hit.isBoot = true
    else hit.titles.add(test)
  })
  let failure: { readonly message: string; readonly test: string | null } | null = null
  const run: string[] = []
  await new Promise<void>((done) => {
    const runner = mocha.run(() => done())
    runner.on('test', (started) => {
      test = started.fullTitle()
      run.push(test)
    })
    runner.on('hook', (hook) => {
      if (/^"(before|after) all"/.test(hook.title)) test = null
    })
    runner.on('fail', (failed, error) => {
      failure ??= { message: `${failed.fullTitle()}: ${error?.message}`, test }
    })
  })
  if (isBoot) await closeProjectApp()
  const failed = failure as { readonly message: string; readonly test: string | null } | null
  return {
    failure: failed?.message ?? null,
    failedTest: failed?.test ?? null,
    milliseconds: performance.now() - startedAt,
    titles: run,
    hits: [...hits].map(([mutant, hit]) => ({ mutant, titles: [...hit.titles], isBoot: hit.isBoot })),
    rss: process.memoryUsage.rss(),
  }
}

async function load(file: string): Promise<Mocha> {
  const mocha = new Mocha({ rootHooks, bail: true, timeout: 20_000, reporter: class {} as never })
  mocha.addFile(resolve(file))
  await mocha.loadFilesAsync()
  mocha.cleanReferencesAfterRun(false)
  for (const suite of mocha.suite.suites) suite.afterAll(clearLibrary)
  return mocha
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
