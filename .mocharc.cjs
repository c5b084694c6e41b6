// Mocha would add the files of the command line to those named here, instead of running only them.
const named = process.argv.slice(2).some((argument) => argument.endsWith('.test.ts'))

const isMarathon = process.argv.some((argument) => argument.includes('test/template/proofs/marathon/'))

// The processes of one run know each other by this, so that the first can clear up after the others.
process.env.TEST_RUN ??= String(process.pid)

// Only the whole suite can be asked what it has left out.
if (!named) process.env.WHOLE_SUITE = 'true'

// Tests that do not depend on the database, or start commands with a database of their own, run once.
const onlyEmbedded = [
  ...[
    'test/template/update/**',
    'test/template/proofs/mutants/**',
    'test/template/how-to/**',
    'test/template/typed-client/**',
    'test/template/commands/explain/command.test.ts',
  ],
  ...[
    'test/template/commands/doctor.test.ts',
    'test/template/documentation/coverage-spec.test.ts',
    'test/template/commands/migrate-create.test.ts',
    'test/template/commands/removal.test.ts',
    'test/template/prove/policies.test.ts',
  ],
  ...['test/template/proofs/metamorphic/**', 'plugins/api-keys/test/key-create.test.ts'],
  ...['scripts', 'migrate-commands', 'lock', 'dev', 'start-log'].map((name) => `test/template/process/${name}.test.ts`),
]
const onlyServer = [
  'test/template/commands/existing-database.test.ts',
  'test/template/store/statements/cache-limits.test.ts',
]

module.exports = {
  ...(!named && {
    spec: ['test/**/*.test.ts', 'plugins/**/*.test.ts', 'resources/**/*.test.ts'],
    // What compiles the project, or copies of it, belongs to `npm run check`; what takes long to `npm run test:endurance`
    // and `npm run test:marathon`; a browser and generated clients have commands of their own.
    ignore: [
      ...[
        'test/template/structure/**',
        'test/template/proofs/endurance/**',
        'test/template/proofs/marathon/**',
        'test/template/browser/**',
        'test/template/clients/**',
      ],
      ...(process.env.DATABASE_URL ? onlyEmbedded : onlyServer),
    ],
    parallel: true,
    jobs: 2,
  }),
  extension: ['ts'],
  // The embedded database is compiled without optimising: only long runs gain from it.
  ...(!isMarathon && { 'node-option': ['liftoff-only'] }),
  require: ['./test/support/hooks.ts'],
  timeout: 60000,
}
