import { registerHooks } from 'node:module'
import { switchName } from './instrument.ts'
import { loadTarget } from './load-target.ts'
import type { RunRequest } from './protocol.ts'
import { sample, targets } from './targets.ts'

// A process that runs test files of a target with one mutant after the other. Arguments: the name of the target, and the
// id of a mutant that is active from the start (0: none).

const [name, initial] = process.argv.slice(2)
const target = [...targets, sample].find((candidate) => candidate.name === name)
if (!target) throw new Error(`No target is named '${name}'.`)
const { code } = loadTarget(target)

let active = Number(initial)
let onHit: ((mutant: number) => void) | null = null
/** Mutants that are reached while modules are loaded. */
const loadHits = new Set<number>()
Object.assign(globalThis, {
  [switchName]: (mutant: number) => {
    if (onHit) onHit(mutant)
    else if (active === 0) loadHits.add(mutant)
    return mutant === active
  },
})

registerHooks({
  load(url, context, next) {
    const source = code.get(url)
    return source === undefined ? next(url, context) : { format: 'module', shortCircuit: true, source }
  },
})

// Errors of a killed mutant may surface after its run; mocha reports the errors of the current run.
process.on('uncaughtException', () => {})
process.on('unhandledRejection', () => {})

const { runFile } = await import('./run-file.ts')

process.on('message', async (request: RunRequest) => {
  active = request.mutant
  const result = await runFile(request, (listener) => {
    onHit = active === 0 ? listener : null
  })
  onHit = null
  process.send?.({ ...result, loadHits: [...loadHits] })
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
