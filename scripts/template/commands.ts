import { globSync } from 'node:fs'
import { root } from '../support/root.ts'
import type { Command } from '../support/run-commands.ts'

/** Commands of maintainers by name: `npm run template -- prove faults`. Arguments are added to the last of several commands. */
interface TemplateCommand {
  readonly effect: string
  readonly commands: readonly Command[]
}

const endurance = 'test/template/proofs/endurance'
const marathon = 'test/template/proofs/marathon/**/*.test.ts'

/** Tests of `endurance` that need minutes. */
const longTests = [
  'injection',
  'jobs',
  'leaks-library',
  'lost-updates',
  'crawl',
  'random-batches',
  'random-queries',
  'scripts',
  'start',
  'killed-batches',
].map((name) => `${endurance}/${name}.test.ts`)

const testsOfServers = [
  'killed',
  'killed-batches',
  'killed-keys',
  'workers',
  'lost-updates',
  'snapshot-reads',
  'isolation',
  'mixed-load',
].map((name) => `${endurance}/${name}.test.ts`)

const testTemplate: Command = ['mocha', '--config', 'test/template/mocharc.cjs']
const proof = (file: string): Command => [`test/template/proofs/${file}`]

const embedded: Command = [
  'mocha',
  '--timeout',
  '300000',
  ...longTests.map((file) => `--ignore=${file}`),
  `${endurance}/**/*.test.ts`,
]
const postgres: readonly Command[] = [
  ['scripts/test-postgres.ts', '--timeout', '300000', ...testsOfServers],
  ['scripts/template/test-pooler.ts', '--timeout', '300000', `${endurance}/snapshot-reads.test.ts`],
]

export const templateCommands: Readonly<Record<string, TemplateCommand>> = {
  test: {
    effect: 'tests of the template: its store, HTTP, commands, documentation, structure',
    commands: [testTemplate],
  },
  browser: { effect: 'tests in a browser', commands: [['mocha', 'test/template/browser/*.test.ts']] },
  clients: {
    effect: 'API clients and generated clients',
    commands: [
      ['npm', 'ci', '--prefix', 'test/template/clients'],
      [
        'mocha',
        '--node-option',
        'conditions=unpkg',
        '--timeout',
        '300000',
        ...['clients', 'others', 'react-admin'].map((name) => `test/template/clients/${name}.test.ts`),
      ],
    ],
  },
  client: {
    effect: 'writes clients/typescript/dist, the client in one module',
    commands: [['scripts/template/client.ts']],
  },
  plans: {
    effect: 'npm test with each read sent with plans that are cold, admitted, warm, off and shared',
    commands: [['scripts/template/compare-plans.ts']],
  },
  pooler: { effect: 'npm run test:postgres behind PgBouncer', commands: [['scripts/template/test-pooler.ts']] },
  endurance: { effect: 'longer tests on both databases', commands: [embedded, ...postgres] },
  'endurance embedded': { effect: 'longer tests on the embedded database', commands: [embedded] },
  'endurance postgres': { effect: 'longer tests on a PostgreSQL server', commands: postgres },
  marathon: {
    effect: 'tests that take minutes',
    commands: [
      [...testTemplate, '--timeout', '900000', marathon, ...longTests],
      ['scripts/test-postgres.ts', '--timeout', '900000', marathon, ...longTests.slice(0, 2)],
      ['mocha', 'test/template/authorization/**/*.test.ts', 'test/template/kernel/**/*.test.ts'],
      ['scripts/template/compare-plans.ts'],
      ['scripts/template/test-pooler.ts'],
      ['scripts/template/test-pooler.ts', 'test/template/proofs/marathon/snapshot-reads.test.ts'],
      [...proof('paths/main.ts'), '--requests', '200000', '--seed', '1'],
      [...proof('metamorphic/main.ts'), '--cases', '100000', '--seed', '1'],
      [...proof('filters/main.ts'), '--expressions', '10000', '--seed', '1'],
      proof('webhooks/main.ts'),
      [...proof('webhooks/main.ts'), '--pooler'],
      ...[[], ['--embedded'], ['--pooler']].map((options): Command => [...proof('live/main.ts'), ...options]),
      proof('faults/main.ts'),
      proof('faults/batch-throughput.ts'),
    ],
  },
  'prove isolation': { effect: 'histories of concurrent clients', commands: [proof('isolation/main.ts')] },
  'prove endurance': { effect: 'mixed load with faults', commands: [proof('soak/main.ts')] },
  'prove paths': { effect: 'equal responses on both databases', commands: [proof('paths/main.ts')] },
  'prove metamorphic': { effect: 'rules between responses', commands: [proof('metamorphic/main.ts')] },
  'prove filters': { effect: 'filter expressions', commands: [proof('filters/main.ts')] },
  'prove webhooks': {
    effect: 'webhooks and listeners while processes are killed',
    commands: [proof('webhooks/main.ts')],
  },
  'prove live': { effect: 'streams while processes are killed', commands: [proof('live/main.ts')] },
  'prove faults': { effect: 'a fault at every driver call', commands: [proof('faults/main.ts')] },
  'prove batches': { effect: 'throughput of batches', commands: [proof('faults/batch-throughput.ts')] },
  'prove mutants': {
    effect: 'mutation testing',
    commands: [['node', '--no-warnings', 'test/template/proofs/mutants/main.ts']],
  },
  fuzz: {
    effect: 'random valid and invalid requests',
    commands: [['node', '--expose-gc', 'test/template/proofs/fuzz/main.ts']],
  },
  bench: { effect: 'throughput compared with hand-written services', commands: [['scripts/template/bench/main.ts']] },
  'bench conditional': { effect: 'the cost of entity tags', commands: [['scripts/template/bench/conditional.ts']] },
  'bench live': { effect: 'the cost of streams', commands: [['scripts/template/bench/live/main.ts']] },
  'bench tracing': { effect: 'the cost of tracing', commands: [['scripts/template/bench/tracing.ts']] },
  capacity: { effect: 'what a service needs', commands: [['scripts/template/bench/capacity/main.ts']] },
  profile: { effect: 'CPU profile of one request', commands: [['scripts/template/profile.ts']] },
  cluster: { effect: 'a whole deployment on this machine', commands: [['scripts/template/start-cluster.ts']] },
  kernel: {
    effect: 'modules that an application without plugins loads',
    commands: [['scripts/template/kernel-modules.ts']],
  },
  coverage: { effect: 'rules of JSON:API with and without a test', commands: [['scripts/template/coverage-spec.ts']] },
  release: { effect: 'writes the version and .template/manifest.json', commands: [['scripts/template/release.ts']] },
}

/** The commands without those whose files the project does not have any more, such as tests of a removed plugin. */
export function findCommands(name: string): readonly Command[] {
  const isLeft = (word: string) => !/^(?:test|scripts)\/.*\.ts$/.test(word) || globSync(word, { cwd: root }).length > 0
  return (templateCommands[name]?.commands ?? []).flatMap((command): Command[] => {
    const [program, ...args] = command.filter(isLeft)
    const hadFiles = command.some((word) => word.endsWith('.ts'))
    const hasFiles = args.some((word) => word.endsWith('.ts')) || program?.endsWith('.ts')
    return program && (hasFiles || !hadFiles) ? [[program, ...args]] : []
  })
}
