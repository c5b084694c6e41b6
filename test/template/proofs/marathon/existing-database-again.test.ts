import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { compile, copyProject, projectParts, run } from '#test/template/support/project-copy.ts'
import { expectSuccess } from '#test/template/support/run-node.ts'

// Runs the command several times for one database, which gets more tables in between.

const first: readonly string[] = [
  `create type order_status as enum ('new', 'paid')`,
  'create domain amount as numeric(12, 2) check (value >= 0)',
  'create sequence invoice_numbers',
  `create function next_invoice() returns bigint language sql as $$ select nextval('invoice_numbers') $$`,
  'create table customers (id bigserial primary key, name text not null)',
  `create table orders (id bigserial primary key, customer_id bigint references customers,
    status order_status not null default 'new', total amount not null default 0,
    paid numeric(20, 4) not null default 0 check (paid >= 0), invoice bigint default next_invoice())`,
  'create table audit_log (at timestamptz, note text)',
  'create table tags (name varchar(40) primary key)',
  'create table plans (name varchar(40) primary key)',
]

const later: readonly string[] = [
  'create table refunds (id bigserial primary key, order_id bigint not null references orders, state order_status)',
  'create table notices (id bigserial primary key, body text)',
  `create table order_tags (order_id bigint references orders, tag varchar(40) references tags, primary key (tag, order_id))`,
  `create table order_plans (order_id bigint references orders, plan varchar(40) references plans, primary key (order_id, plan))`,
]

describeIf(hasServer)('npm run make -- resource --from-database, a second time (needs a server)', function () {
  this.timeout(900_000)
  let copy: string
  let database: TestDatabase
  const script = (path: string, ...args: readonly string[]) =>
    run(copy, [path, ...args], { DATABASE_URL: database.databaseUrl as string })
  const make = async (...args: readonly string[]) =>
    expectSuccess(await script('scripts/make-resource.ts', '--from-database', ...args)).stdout
  const read = (file: string) => readFileSync(join(copy, file), 'utf8')
  const baselineOf = (type: string) => globSync(`resources/${type}/migrations/*.ts`, { cwd: copy }).map(read).join()
  const execute = async (statements: readonly string[]) => {
    for (const statement of statements) await database.orm.em.getConnection().execute(statement)
  }

  before(async () => {
    database = await openTestDatabase({ entities: [], migrations: [] })
    await execute(first)
    copy = copyProject(projectParts())
    expectSuccess(await run(copy, ['scripts/init.ts', 'shop']))
    await make('customers', 'orders', 'audit_log')
    expectSuccess(await script('scripts/migrate-baseline.ts'))
    await execute(later)
  })
  after(async () => {
    await database.close()
    rmSync(copy, { recursive: true })
  })

  it('generates a rule for a check constraint on a decimal that is a string', () => {
    expect(read('resources/orders/resource.ts')).to.include(
      `.rule((value) => (Number(value) >= 0 ? undefined : 'The paid must be at least 0.'))`,
    )
  })

  it('generates a relation to an existing type, and prints the lines of its inverse', async () => {
    const report = await make('refunds', 'notices')
    expect(read('resources/refunds/resource.ts')).to.include(`belongsTo('order', 'orders').required()`)
    expect(report).not.to.include('Not a relation')
    expect(report).to.include(`refunds: () => p.oneToMany(Refund).mappedBy('order'),`)
    expect(report).to.include(`hasMany('refunds', 'refunds'),`)
  })

  it('creates types, sequences and functions only if a table needs them and no earlier migration creates them', () => {
    const baseline = baselineOf('refunds') + baselineOf('notices')
    expect(baseline)
      .to.match(/create table "refunds"/)
      .and.match(/create table "notices"/)
    expect(baseline).not.to.match(/create (?:type|domain|sequence "?invoice|or replace function)/i)
  })

  it('generates a type of a table that an earlier baseline created, without a migration', async () => {
    await make('plans')
    expect(existsSync(join(copy, 'resources/plans/entity.ts'))).to.equal(true)
    expect(existsSync(join(copy, 'resources/plans/migrations'))).to.equal(false)
  })

  it('generates a join table to an existing type in the new type', async () => {
    const report = await make('tags', 'order_tags')
    expect(read('resources/tags/resource.ts')).to.include(`belongsToMany('orders', 'orders')`)
    expect(report).to.include(`tags: () => p.manyToMany(Tag).mappedBy('orders'),`)
  })

  it('generates a read-only type of a join table whose first key refers to an existing type', async () => {
    const report = await make('order_plans')
    expect(report).to.include('Read-only: its key is order_id, plan;')
    expect(read('resources/order-plans/resource.ts')).to.include(`belongsTo('order', 'orders').readOnly()`)
  })

  it('adds the inverse relation to the existing type with --inverse', async () => {
    await execute(['create table returns (id bigserial primary key, order_id bigint references orders)'])
    const report = await make('returns', '--inverse')
    expect(report).to.include('Added returns to resources/orders/entity.ts and resources/orders/resource.ts.')
    expect(read('resources/orders/resource.ts')).to.include(`hasMany('returns', 'returns')`)
  })

  it('says why a table gets no type', async () => {
    const unmapped = await script('scripts/make-resource.ts', '--from-database', 'audit_log')
    expect(unmapped.stderr).to.equal('audit_log: Not mapped: it has no primary key and no unique columns.\n')
    const mapped = await script('scripts/make-resource.ts', '--from-database', 'orders')
    expect(mapped.stderr).to.equal(`The table 'orders' already has an entity, Order.\n`)
    const internal = await script('scripts/make-resource.ts', '--from-database', 'migrations')
    expect(internal.stderr).to.equal(`The table 'migrations' belongs to the application.\n`)
  })

  it('leaves a project that compiles, whose tests pass and whose migrations match its entities', async () => {
    expect(await compile(copy)).to.deep.equal([])
    const marked = expectSuccess(await script('scripts/migrate-baseline.ts')).stdout
    expect(marked).to.match(/Marked \d+_baseline_refunds as applied/)
    expect((await script('scripts/migrate-create.ts')).stdout).to.equal(
      'Nothing to do: the migrations match the entities.\n',
    )
    const { stdout, stderr } = await script('scripts/doctor.ts')
    expect(stdout, stderr).to.match(/^The application would start: /)
    expect(stdout).not.to.include('Entities that differ from their migrations')
    expectSuccess(await run(copy, [join(root, 'node_modules/mocha/bin/mocha.js'), 'resources/**/*.test.ts']))
  })
})
