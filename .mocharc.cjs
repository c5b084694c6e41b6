// Mocha would add the files of the command line to those named here, instead of running only them.
const named = process.argv.slice(2).some((argument) => argument.endsWith('.test.ts'))

const isMarathon = process.argv.some((argument) => argument.includes('test/marathon/'))

// The processes of one run know each other by this, so that the first can clear up after the others.
process.env.TEST_RUN ??= String(process.pid)

// Only the whole suite can be asked what it has left out.
if (!named) process.env.WHOLE_SUITE = 'true'

// Tests that do not depend on the database, or start commands with a database of their own, run once.
const onlyEmbedded = [
  ...['test/update/**', 'test/mutants/**', 'test/how-to/**', 'test/typed-client/**', 'test/explain/command.test.ts'],
  ...[
    'test/doctor.test.ts',
    'test/coverage-spec.test.ts',
    'test/migrate-create.test.ts',
    'test/removal.test.ts',
    'test/prove/policies.test.ts',
  ],
  ...['test/prove/metamorphic/**', 'plugins/api-keys/test/key-create.test.ts'],
  ...['scripts', 'migrate-commands', 'lock', 'dev', 'start-log'].map((name) => `test/infrastructure/${name}.test.ts`),
]
const onlyServer = ['test/existing-database.test.ts', 'test/cache-limits.test.ts']

module.exports = {
  ...(!named && {
    spec: ['test/**/*.test.ts', 'plugins/**/*.test.ts', 'resources/**/*.test.ts'],
    // What compiles the project, or copies of it, belongs to `npm run check`; what takes long to `npm run test:endurance`
    // and `npm run test:marathon`; a browser and generated clients have commands of their own.
    ignore: [
      ...['test/structure/**', 'test/endurance/**', 'test/marathon/**', 'test/browser/**', 'test/clients/**'],
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
