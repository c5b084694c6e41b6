import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { enumerateMutants } from './enumerate.ts'
import { instrument } from './instrument.ts'
import type { Mutant } from './mutant.ts'
import { parseFiles } from './parse.ts'
import type { Target } from './targets.ts'

export interface LoadedTarget {
  readonly mutants: readonly Mutant[]
  /** Instrumented code by the URL of its module. */
  readonly code: ReadonlyMap<string, string>
}

/** Enumerates the mutants of a target. The ids are the same in every process. */
export function loadTarget({ files }: Target): LoadedTarget {
  const mutants: Mutant[] = []
  const code = new Map<string, string>()
  const parsed = parseFiles(files)
  files.forEach((file, index) => {
    const source = parsed[index] as (typeof parsed)[number]
    const mutations = enumerateMutants(source, file, mutants.length + 1)
    mutants.push(...mutations.map(({ mutant }) => mutant))
    code.set(pathToFileURL(resolve(file)).href, instrument(source.text, mutations))
  })
  return { mutants, code }
}
