import { resolve } from 'node:path'
import { config } from 'chai'
import Mocha from 'mocha'
import { closeProjectApp, markDirty, takeDirty } from '#test/support/app.ts'
import { resetTestDatabase } from '#test/support/database.ts'
import { clearLibrary } from '#test/support/library/index.ts'
import type { RunResult } from './protocol.ts'

config.useProxy = false
const suites = new Map<string, Mocha>()

/** The hooks of `test/support/hooks.ts`, except that the databases stay open for the next mutant. */
const rootHooks: Mocha.RootHookObject = {
  async beforeEach() {
    if (takeDirty()) await resetTestDatabase()
  },
  afterAll: closeProjectApp,
}

/** Runs the tests of a file until the first failure, and reports which tests reach which mutants. */
export async function runFile(
  file: string,
  titles: readonly string[] | null,
  listen: (onHit: (mutant: number) => void) => void,
): Promise<RunResult> {
  const mocha = suites.get(file) ?? (await load(file))
  suites.set(file, mocha)
  mocha.grep(titles ? new RegExp(`^(?:${titles.map(escapeRegExp).join('|')})$`) : /^/)
  markDirty()
  const startedAt = performance.now()
  const hits = new Map<number, Set<string> | null>()
  let test: string | null = null
  listen((mutant) => {
    const reached = hits.get(mutant)
    if (test === null) hits.set(mutant, null)
    else if (reached) reached.add(test)
    else if (reached === undefined) hits.set(mutant, new Set([test]))
  })
  let failure: { readonly title: string; readonly isHook: boolean } | null = null
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
    runner.on('fail', (failed: Mocha.Runnable, error) => {
      failure ??= { title: `${failed.fullTitle()}: ${error?.message}`, isHook: failed instanceof Mocha.Hook }
    })
  })
  const failed = failure as { readonly title: string; readonly isHook: boolean } | null
  return {
    failure: failed?.title ?? null,
    isHookFailure: failed?.isHook ?? false,
    milliseconds: performance.now() - startedAt,
    titles: run,
    hits: [...hits].map(([mutant, reached]) => [mutant, reached && [...reached]] as const),
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
