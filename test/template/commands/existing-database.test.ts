import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { startApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { blog } from '#test/template/support/existing/blog.ts'
import { corners, unmappable } from '#test/template/support/existing/corners.ts'
import { dumpDatabase } from '#test/template/support/existing/dump.ts'
import { observatory } from '#test/template/support/existing/observatory.ts'
import { odd } from '#test/template/support/existing/odd.ts'
import { shop } from '#test/template/support/existing/shop.ts'
import { workshop } from '#test/template/support/existing/workshop.ts'
import { extensionStatement } from '../../../scripts/database/baseline-source.ts'
import { entitySource } from '../../../scripts/database/entity-source.ts'
import { findRowKeys, missingExtensions } from '../../../scripts/database/generate.ts'
import { type CatalogRelation, introspect } from '../../../scripts/database/introspect.ts'
import { TypeNamer } from '../../../scripts/database/names.ts'
import { planDatabase } from '../../../scripts/database/plan.ts'
import type { DatabasePlan } from '../../../scripts/database/plan-types.ts'
import { rehearseBaseline } from '../../../scripts/database/rehearse.ts'
import { policySource, resourceSource } from '../../../scripts/database/resource-source.ts'
import { looksSecret } from '../../../scripts/database/secrets.ts'
import { migrationNumbers, toSource } from '../../../scripts/support/migration-files.ts'

const schemas: Readonly<Record<string, readonly string[]>> = { blog, shop, odd, observatory, workshop, corners }

describe('npm run make -- resource --from-database', () => {
  let source: TestDatabase
  let target: TestDatabase
  before(async () => {
    source = await openTestDatabase(extensions, { isKept: true })
    target = await openTestDatabase(extensions, { isKept: true })
  })
  after(async () => {
    await Promise.all([source.close(), target.close()])
  })

  /** Creates a schema in the one database, and its baseline in the other. */
  const rehearse = async (statements: readonly string[], hasExtensions = true) => {
    await replaceSchema(source, statements)
    const found = await introspect(source.orm)
    await replaceSchema(target, hasExtensions ? found.extensions.map(extensionStatement) : [])
    return rehearseBaseline(target, found, new Set())
  }
  const planOf = async (statements: readonly string[], keepsNames = false): Promise<DatabasePlan> => {
    await replaceSchema(source, statements)
    const catalog = await introspect(source.orm)
    const names = new Set(catalog.relations.map(({ name }) => name))
    const namer = new TypeNamer(['docs'], [], keepsNames)
    const rowKeys = await findRowKeys(source, catalog)
    return planDatabase(catalog, { namer, names, named: new Set(), existing: new Map(), ...rowKeys })
  }

  for (const [name, statements] of Object.entries(schemas)) {
    it(`generates a baseline that creates the same schema: ${name}`, async () => {
      expect((await rehearse(statements)).remarks).to.deep.equal([])
      expect(await readDefinitions(target)).to.deep.equal(await readDefinitions(source))
    })
  }

  it('cuts names that are too long for fields', async () => {
    const { types } = await planOf(odd)
    const names = types.flatMap(({ attributes, toOnes, toManys }) =>
      [...attributes, ...toOnes, ...toManys].map(({ property }) => property),
    )
    expect(names.filter((name) => name.length > 50)).to.deep.equal([])
    expect(names.some((name) => name.length > 40)).to.equal(true)
  })

  it('leaves out what the empty database rejects, with one remark each, and keeps the rest', async () => {
    const statements = [
      'create extension ltree',
      "create table parts (id serial primary key, name text not null, path ltree, depth integer default nlevel('a.b'), check (name <> ''))",
      `alter table parts add constraint parts_path check (path <> 'a'::ltree), add constraint parts_depth check (depth > nlevel('a'))`,
      'create index parts_path on parts using gist (path)',
      'create index parts_name on parts (name)',
      'create table stocks (id serial primary key, part_id integer references parts, count integer)',
      'create table folders (path ltree primary key)',
      'create view roots as select id, subpath(path, 0, 1) as root from parts',
      'create view names as select id, name from parts',
      `create function parent_of(part ltree) returns ltree language sql as 'select subpath($1, 0, -1)'`,
    ]
    const { baseline, catalog, remarks } = await rehearse(statements, false)
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.have.members([
      'parts.path: Not mapped: type "ltree" does not exist',
      'parts.depth: Mapped without its default: type "ltree" does not exist',
      'parts.parts_depth: Not in the baseline: type "ltree" does not exist',
      'folders: Not mapped: type "ltree" does not exist',
      'roots: Not mapped: column "path" does not exist',
      'function parent_of(part ltree): Not in the baseline: type ltree does not exist',
    ])
    expect([...baseline.tables.keys()]).to.have.members(['parts', 'stocks', 'names'])
    const parts = catalog.relations.find(({ name }) => name === 'parts')
    expect(parts?.columns.map(({ name }) => name)).to.deep.equal(['id', 'name', 'depth'])
    expect(parts?.indexes.map(({ name }) => name)).to.deep.equal(['parts_name'])
    expect(parts?.constraints.map(({ name }) => name)).to.have.members(['parts_pkey', 'parts_name_check'])
  })

  it('keeps collations, and reports inheritance and a collation that the empty database lacks', async () => {
    const child = 'create table cities (mayor text, primary key (id)) inherits (places)'
    const statements = [
      'create table places (id serial primary key, name text collate "C" not null, height integer check (height > 0))',
      'create table names (name text collate "POSIX" primary key)',
    ]
    const { types, remarks } = await planOf([...statements, child])
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.deep.equal([
      'cities: The baseline creates it without inherits (places)',
      'places: Also shows the rows of cities, which inherits from it; no constraint keeps an id unique in both',
    ])
    const sources = types.map((type) => entitySource(type))
    expect(sources.filter((entity) => entity.includes(`name: p.text().collation('C')`))).to.have.length(2)
    expect(sources.filter((entity) => entity.includes(`.fieldName('name').collation('POSIX')`))).to.have.length(1)
    expect((await rehearse(statements)).remarks).to.deep.equal([])
    expect(await readDefinitions(target)).to.deep.equal(await readDefinitions(source))
    const own = [
      `create collation own (locale = 'C')`,
      'create table tags (id serial primary key, name text collate own)',
    ]
    const rehearsed = await rehearse(own)
    expect(rehearsed.remarks.map(({ member, text }) => `${member}: ${text}`)).to.deep.equal([
      'tags.name: Mapped without its collation: collation "own" for encoding "UTF8" does not exist',
    ])
    expect(rehearsed.catalog.relations[0]?.columns.map(({ name }) => name)).to.deep.equal(['id', 'name'])
  })

  it('leaves out triggers whose functions use another schema or a setting, also through a function that they call', async () => {
    const trigger = (name: string, body: string) => [
      `create function ${name}() returns trigger language plpgsql as $$ begin ${body}; return new; end $$`,
      `create trigger parcels_${name} before insert on parcels for each row execute function ${name}()`,
    ]
    const { baseline, catalog, remarks } = await rehearse([
      'create schema logistics',
      'create table logistics.log (name text)',
      `create function note(name text) returns void language plpgsql as $$ begin insert into logistics.log values (name); end $$`,
      "create table parcels (id serial primary key, name text, tenant integer not null default current_setting('app.tenant')::int)",
      ...trigger('track', 'perform note(tg_table_name)'),
      ...trigger('sign', `new.name := current_setting('app.actor')`),
      ...trigger('tidy', `-- logistics.log\n new.name := trim(new.name)`),
      ...trigger('guess', `new.name := current_setting('app.actor', true)`),
    ])
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.have.members([
      'parcels.parcels_track: Not in the baseline: its function uses the schema logistics',
      'parcels.parcels_sign: Not in the baseline: its function reads the setting app.actor; writes fail until the database or its role sets it',
      'parcels.tenant: Mapped without its default: it reads the setting app.tenant',
    ])
    const created = [...(baseline.tables.get('parcels') ?? [])].flatMap(
      (sql) => /^CREATE TRIGGER (\S+)/.exec(sql)?.[1] ?? [],
    )
    expect(created).to.deep.equal(['parcels_guess', 'parcels_tidy'])
    expect(catalog.relations[0]?.triggers.map(({ name }) => name)).to.include('parcels_sign')
  })

  it('leaves out a view that fails when its columns are evaluated', async () => {
    const { types, remarks } = await planOf([
      'create table measures (id serial primary key, v integer not null)',
      'insert into measures (v) values (1)',
      'create view rates as select id, 1 / (v - v) as x from measures',
      'create view doubles as select id, v * 2 as x from measures',
    ])
    expect(types.map(({ relation }) => relation.name)).to.have.members(['measures', 'doubles'])
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.include(
      'rates: Not mapped: its rows cannot be read: division by zero',
    )
  })

  it('chooses as the id only columns that a constraint, the query or at least two rows show to be unique', async () => {
    const { types, remarks } = await planOf([
      `create type state as enum ('new', 'old')`,
      `create table lots (region text not null, id integer not null, primary key (region, id)) partition by list (region)`,
      `create table lots_eu partition of lots for values in ('eu')`,
      `create table items (id serial primary key, state state not null, placed timestamp, "big Size" integer)`,
      'create view states as select state, count(*) as n from items group by state',
      'create view days as select count(*) as n, placed::date as day, i.state from items i group by 2, 3',
      'create view olds as select "big Size" as size, id from items where state = $$old$$',
      'create view pairs as select a.id, b.id as other from items a, items b',
      'create view filled as select n as m, n % 2 as half from generate_series(1, 3) n',
      'create view single as select 1 as id',
      'create materialized view sizes as select "big Size" as size, max(id) as id from items group by 1',
      'create unique index on sizes (id)',
    ])
    const keys = types.map(({ relation, key }) => `${relation.name}: ${key.columns.join(', ')}`)
    expect(keys).to.have.members([
      'items: id',
      'lots: region, id',
      'states: state',
      'days: day, state',
      'olds: id',
      'filled: m',
      'sizes: id',
    ])
    const unproven =
      'no column identifies a row: neither a unique index nor its query, and not two rows or more, show one'
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.include.members([
      'lots: Read-only: it is partitioned; region, id is the id',
      `pairs: Not mapped: ${unproven}`,
      `single: Not mapped: ${unproven}`,
    ])
  })

  it('finds columns that a trigger fills if they are absent, all targets of into, and disabled triggers', async () => {
    const trigger = (name: string, body: string) => [
      `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return new; end $$`,
      `create trigger ${name} before insert on orders for each row execute function ${name}()`,
    ]
    const statements = [
      'create table shops (id serial primary key)',
      `create table orders (
        id serial primary key, number text not null, slug text not null, code text not null, shop_id integer not null references shops,
        a text, search text, email text not null, draft text not null, replica text not null
      )`,
      ...trigger('number', `if new.number is null then new.number := 'O-1'; end if;`),
      ...trigger('slug', `if new.slug is null or new.slug = '' then new.slug := 'a'; end if;`),
      ...trigger('code', `new.code := coalesce(new.code, 'c'); new.shop_id := coalesce( new.shop_id , 1);`),
      ...trigger('pair', `select 'a', 'b' into new.a, new."search";`),
      ...trigger('email', 'new.email := lower(new.email);'),
      ...trigger('draft', `new.draft := 'x';`),
      ...trigger('replica', `new.replica := 'x';`),
      'alter table orders disable trigger draft',
      'alter table orders enable replica trigger replica',
      'alter table orders enable always trigger pair',
    ]
    const { types, remarks } = await planOf(statements)
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.have.members([
      'orders.number: Not required: the trigger number fills it if it is absent',
      'orders.slug: Not required: the trigger slug fills it if it is absent',
      'orders.code: Not required: the trigger code fills it if it is absent',
      'orders.shop_id: Not required: the trigger code fills it if it is absent',
      'orders.a: Read-only: the trigger pair fills it',
      'orders.search: Read-only: the trigger pair fills it',
    ])
    const orders = types.find(({ relation }) => relation.name === 'orders') as DatabasePlan['types'][number]
    const declared = resourceSource(orders, true)
    const fields = ['number', 'slug', 'code'].map((name) => `string('${name}')`)
    for (const field of [...fields, `belongsTo('shop', 'shops')`]) expect(declared).not.to.include(`${field}.`)
    const required = ['email', 'draft', 'replica'].map((name) => `string('${name}').required()`)
    for (const field of required) expect(declared).to.include(field)
    expect((await rehearse(statements)).remarks).to.deep.equal([])
    expect(await readDefinitions(target)).to.deep.equal(await readDefinitions(source))
  })

  it('requires no column whose domain has a default', async () => {
    const { types } = await planOf([
      'create domain moment as timestamptz not null default now()',
      'create domain amount as integer not null',
      'create domain later as moment',
      'create table events (id serial primary key, at moment, until later, price amount, size amount default 1)',
    ])
    const declared = resourceSource(types[0] as DatabasePlan['types'][number], true)
    for (const field of [`dateTime('at'),`, `dateTime('until'),`, `integer('price').required()`, `integer('size')]`])
      expect(declared).to.include(field)
  })

  it('declares filters for indexes that begin with a column, also descending ones and those that include others', async () => {
    const { types } = await planOf([
      'create table stops (id serial primary key, at timestamptz, level integer, code text, place text, note text, line text)',
      'create index stops_at on stops (at desc)',
      'create index stops_level on stops (level desc nulls last, (lower(note)))',
      'create index stops_code on stops (code) include (note)',
      'create index stops_note on stops ((lower(line)), note)',
      'create index stops_place on stops (place text_pattern_ops)',
      'create index stops_line on stops (line) where level > 1',
    ])
    const declared = resourceSource(types[0] as DatabasePlan['types'][number], true)
    expect(declared).to.include(`=> [dateRange('at'), range('level'), where('code')],`)
    for (const field of ['at', 'level', 'code']) expect(declared).to.include(`'${field}').nullable().sortable()`)
  })

  describe('for foreign keys that the database fills', () => {
    let plan: DatabasePlan
    before(async () => {
      plan = await planOf([
        'create table states (id integer primary key)',
        'create table pages (id serial primary key)',
        `create table bills (
          id serial primary key,
          data jsonb not null,
          status_id integer not null default 1 references states,
          first_id integer generated always as ((data ->> 'first')::integer) stored references states,
          number_id integer generated always as identity references states,
          serial_id serial references states,
          twice_id integer references states references pages
        )`,
        'create table bill_states (bill_id integer references bills, state_id integer default 2 references states, primary key (bill_id, state_id))',
      ])
    })
    const typeOf = (table: string) =>
      plan.types.find(({ relation }) => relation.name === table) as DatabasePlan['types'][number]

    it('declares their defaults, expressions and sequences', () => {
      const lines = entitySource(typeOf('bills')).split('\n')
      const lineOf = (constraint: string) => lines.find((line) => line.includes(`foreignKeyName('${constraint}')`))
      expect(lineOf('bills_status_id_fkey')).to.match(/\)\.defaultRaw\('1'\),$/)
      expect(lineOf('bills_first_id_fkey')).to.include(
        `.generated('(((data ->> \\'first\\'::text))::integer) stored').nullable(),`,
      )
      expect(lineOf('bills_number_id_fkey')).to.match(/\)\.autoincrement\(\)\.generated\('identity'\),$/)
      expect(lineOf('bills_serial_id_fkey')).to.match(/\)\.autoincrement\(\),$/)
      expect(lineOf('bill_states_state_id_fkey')).to.match(/\)\.defaultRaw\('2'\),$/)
    })

    it('makes relations of generated and identity columns read-only, on both sides', () => {
      const source = resourceSource(typeOf('bills'), true)
      expect(source).to.include(`belongsTo('first', 'states').readOnly()`)
      expect(source).to.include(`belongsTo('number', 'states').readOnly()`)
      expect(source).to.include(`belongsTo('status', 'states'),`)
      const inverse = resourceSource(typeOf('states'), true)
      expect(inverse).to.include(`hasMany('firstBills', 'bills').readOnly()`)
      expect(inverse).to.match(/hasMany\('statusBills', 'bills'\)[,\]]/)
    })

    it('reports the second foreign key of a column', () => {
      expect(plan.remarks.map(({ member, text }) => `${member}: ${text}`)).to.include(
        'bills.bills_twice_id_fkey1: Not a relation: another foreign key has the same column',
      )
    })
  })

  describe('for an observatory with aggregates, triggers, secrets and partitions', () => {
    let plan: DatabasePlan
    before(async () => {
      plan = await planOf(observatory)
    })
    const sourceOf = (table: string) =>
      resourceSource(plan.types.find(({ relation }) => relation.name === table) as DatabasePlan['types'][number], true)

    it('makes indexed columns filterable if the plugin filter-expressions is listed', () => {
      const filterableIn = (table: string) => {
        const type = plan.types.find(({ relation }) => relation.name === table) as DatabasePlan['types'][number]
        const source = resourceSource(type, true, true)
        return [...source.matchAll(/\('(\w+)'[^']*\.filterable\(\)/g)].map(([, name]) => name)
      }
      expect(sourceOf('star')).not.to.include('filterable')
      expect(filterableIn('star')).to.deep.equal(['slug', 'magnitude'])
    })

    it('reports each object once, and lists functions that an action may call', () => {
      expect(plan.remarks.map(({ member, text }) => `${member}: ${text}`)).to.have.members([
        'api_session: Not mapped: ids are shown, and its key token is hidden: its name suggests a secret; name the table to map it',
        'telescope_summary: Not mapped: the materialized view has no data yet: refresh materialized view telescope_summary, then run the command again',
        'ratio: Read-only: it is a view; id is the id, which is unique in its rows now',
        'bright_star: Read-only: it is a view; id is the id, which is unique in its rows now',
        'site_list: Read-only: it is a view; id is the id, which is unique in its rows now',
        'star_summary: Read-only: it is a materialized view; star_id is the id, which is unique in its rows now',
        'exposure: Read-only: it is partitioned; exposure_id is the id, which no constraint over all partitions keeps unique',
        'reading: Read-only: it is partitioned; sensor, at is the id',
        'observer.password: Neither shown nor accepted (hidden): its name suggests a secret',
        'observer.ssn: Neither shown nor accepted (hidden): its name suggests a secret',
        'observer.session_token: Neither shown nor accepted (hidden): its name suggests a secret',
        'observer.pin_hash: The type bytea has no form in JSON',
        'observer.last_change: Read-only: the trigger observer_touch fills it',
        'star.slug: Read-only: the trigger star_slug fills it',
        'star.search: Read-only: the trigger star_search fills it',
        'star.last_change: Read-only: the trigger star_touch fills it',
      ])
      expect(plan.functions).to.deep.equal(['transfer(observer integer, site smallint)'])
    })

    it('names to-many relations in the plural, or like the table with --names keep', async () => {
      const toManys = ({ types }: DatabasePlan, table: string) =>
        types.find(({ relation }) => relation.name === table)?.toManys.map(({ property }) => property)
      expect(toManys(plan, 'site')).to.deep.equal(['observers', 'telescopes'])
      expect(toManys(plan, 'star')).to.deep.equal(['exposures', 'observers'])
      expect(toManys(await planOf(observatory, true), 'star')).to.deep.equal(['exposure', 'observer'])
    })

    it('makes foreign keys of all partitions relations, and the key without the time the id', () => {
      const source = sourceOf('exposure')
      expect(source).to.include(`belongsTo('telescope', 'telescope').readOnly()`)
      expect(source).to.include(`belongsTo('star', 'star').readOnly()`)
      expect(plan.types.find(({ relation }) => relation.name === 'exposure')?.key.columns).to.deep.equal([
        'exposure_id',
      ])
    })

    it('declares filters for indexes, foreign keys, enums and booleans', () => {
      const filters = (table: string) => /filters: .+ => \[(.+)\],/.exec(sourceOf(table))?.[1]
      expect(filters('site')).to.equal(`where('name'), range('altitude')`)
      expect(filters('star')).to.equal(`where('slug'), range('magnitude'), where('best')`)
      expect(filters('telescope')).to.equal(
        `where('name'), range('aperture'), boolean('isOpen'), whereIdIn('site', 'site')`,
      )
      expect(filters('exposure')).to.equal(
        `dateRange('takenAt'), whereIdIn('telescope', 'telescope'), whereIdIn('star', 'star')`,
      )
    })

    it('hides secrets, shows arrays of real, and makes columns that a trigger fills read-only', () => {
      const observer = sourceOf('observer')
      for (const field of [`string('password')`, `string('ssn')`, `uuid('sessionToken')`])
        expect(observer).to.include(`${field}.hidden()`)
      for (const field of [
        `boolean('hasToken')`,
        `dateTime('passwordChangedAt').nullable()`,
        `dateTime('lastChange').readOnly()`,
      ])
        expect(observer).to.include(`${field},`)
      const star = sourceOf('star')
      for (const field of [
        `string('slug').readOnly()`,
        `string('search').readOnly()`,
        `string('description').nullable()`,
      ])
        expect(star).to.include(field)
      expect(star).not.to.include('operations:')
      expect(sourceOf('telescope')).to.include(`arrayList('response').nullable(), arrayList('steps')`)
    })

    it('denies writes, and reads of anonymous requesters', () => {
      const star = plan.types.find(({ relation }) => relation.name === 'star') as DatabasePlan['types'][number]
      const source = policySource(star)
      for (const ability of ['create', 'update', 'delete'])
        expect(source).to.include(`override ${ability}() { return false }`)
      for (const ability of ['viewAny', 'view'])
        expect(source).to.include(`override ${ability}(principal: Principal | null) { return principal !== null }`)
    })
  })

  it('leaves tables with names that MikroORM cannot map out of the baseline, with the foreign keys to them', async () => {
    const { baseline, catalog, remarks } = await rehearse(unmappable)
    expect([...baseline.tables.keys()]).to.deep.equal(['holders'])
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.deep.equal([
      'holders.holders_name_id_fkey: Not in the baseline: relation "odd.name" does not exist',
    ])
    expect(catalog.relations.map(({ name }) => name)).to.have.members(['odd.name', 'odd"quote', 'holders'])
  })

  describe('for objects at the limits of what can be mapped', () => {
    let plan: DatabasePlan
    before(async () => {
      plan = await planOf([...corners, ...unmappable])
    })
    const typeOf = (table: string) =>
      plan.types.find(({ relation }) => relation.name === table) as DatabasePlan['types'][number]
    const entityOf = (table: string) => entitySource(typeOf(table))
    const sourceOf = (table: string) => resourceSource(typeOf(table), true)

    it('reports each object that is not mapped, or not completely', () => {
      expect(plan.remarks.map(({ member, text }) => `${member}: ${text}`)).to.have.members([
        'nothing: Not mapped: it has no primary key and no unique columns',
        'odd.name: Not mapped: MikroORM cannot map a name with a dot or a quotation mark',
        'odd"quote: Not mapped: MikroORM cannot map a name with a dot or a quotation mark',
        'blobs: Read-only: its key is owner, digest; ids join these values with dots',
        'blobs.digest: The type bytea has no form in JSON',
        'spots: Not mapped: its key spot is composite',
        'holders.holders_name_id_fkey: Not a relation: odd.name is not a type with a key of one column',
        'ruled: Read-only: the rule ruled_insert replaces writes',
        'ticket_slugs: Read-only: its key is ticket_id, tag_slug; ids join these values with dots',
        'steps.steps_tag_id_fkey: Not a relation: another foreign key has the same column',
        'ticket_slugs.ticket_slugs_tag_slug_fkey: Not a relation: it refers to tags.slug, which is not the key',
        `tickets.tickets_note_check: Not a rule: PostgreSQL evaluates CHECK ((note <> '\r'::text)), and a violation is a 422 without a pointer to the member`,
        `tickets.tickets_valid_from_check: Not a rule: PostgreSQL evaluates CHECK ((valid_from > '-infinity'::date)), and a violation is a 422 without a pointer to the member`,
      ])
    })

    it('gives lists of values free names that are identifiers, also if a join table has the same enum', () => {
      const lists = [...entityOf('tickets').matchAll(/^export const (.+) = (.+) as const$/gm)]
      expect(lists.map(([, name, values]) => `${name}: ${values}`)).to.deep.equal([
        `orderStates: ['draft', 'sent']`,
        `orderStates2: ['open', 'carriage\\rreturn']`,
        `values1sts: ['gold', 'silver']`,
        `values: ['so so']`,
      ])
      expect(entityOf('tickets')).to.include(`level: p.enum(orderStates2).nativeEnumName('orderState')`)
      expect(sourceOf('tickets')).to.include(`string('grade').nullable().enum(values1sts)`)
    })

    it('escapes carriage returns in entities and migrations', () => {
      expect(entityOf('tickets')).not.to.include('\r')
      expect(entityOf('tickets')).to.include(String.raw`.defaultRaw('\'a\r\nb\'::text')`)
      const source = toSource(['a'], ["select '\r'", 'select 1 /* \r */'], null)
      expect(source).to.include("this.addSql(`select '\\r'`)")
      expect(source).to.include('this.addSql(`select 1 /* \\r */`)')
    })

    it('declares identity columns that are no keys, which are read-only', () => {
      expect(entityOf('tickets')).to.include(`number: p.bigint('number').autoincrement().generated('identity'),`)
      expect(entityOf('tickets')).to.include(
        `position: p.integer().autoincrement().generated('by default as identity'),`,
      )
      expect(entityOf('tickets')).to.include(`line: p.integer().autoincrement().generated('identity'),`)
      expect(sourceOf('tickets')).to.include(`integer('number').readOnly()`)
      expect(sourceOf('tickets')).to.include(`integer('position').readOnly()`)
      expect(sourceOf('tickets')).to.include(`integer('line').readOnly()`)
    })

    it('prefixes a column that would make a promise of the entity', () => {
      expect(sourceOf('tickets')).to.include(`string('ticketThen')`)
    })

    it('maps char without a length without a limit, and arrays of numbers as the driver returns them', () => {
      expect(entityOf('tickets')).to.include(`initials: p.string().columnType('bpchar').nullable()`)
      expect(sourceOf('tickets')).to.include(`string('initials').nullable().sortable()`)
      expect(entityOf('tickets')).to.include(`rounds: p.array<number>().columnType('int4[]')`)
    })

    it('declares infinity() for times whose default or check names infinity', () => {
      expect(sourceOf('tickets')).to.include(`date('validFrom').infinity().nullable()`)
      expect(sourceOf('tickets')).to.include(`dateTime('validTo').infinity()`)
      expect(sourceOf('tickets')).to.include(`date('soldOn').nullable()`)
    })

    it('declares the sign of the scale of a decimal, which MikroORM does not read', () => {
      const { attributes } = typeOf('tickets')
      const properties = new Map(attributes.map(({ property, mapping }) => [property, mapping.property]))
      expect(properties.get('price')).to.equal(
        `decimal('number').ignoreSchemaChanges('type').columnType('numeric(5,-2)')`,
      )
      expect(properties.get('size')).to.match(/^decimal\('string'\)/)
    })

    it('declares no filter for an enum below a domain', () => {
      expect(sourceOf('tickets')).to.include(`string('mood').nullable().enum(orderStates),`)
      expect(sourceOf('tickets')).to.include(`where('state')`)
      expect(sourceOf('tickets')).not.to.include(`where('mood')`)
    })

    it('makes a join table that refers to another column than the key a read-only type', () => {
      expect(typeOf('tickets').joins.map(({ relation }) => relation.name)).to.deep.equal(['ticket_tags'])
      expect(typeOf('ticket_slugs').isReadOnly).to.equal(true)
    })

    it('keeps the columns of a key in the entity that documents cannot show', () => {
      expect(entityOf('blobs')).to.include('digest: p.blob()')
      expect(entityOf('blobs')).not.to.include('undefined')
      expect(sourceOf('blobs')).not.to.include('digest')
    })
  })

  it('maps limits of every type of number, also negative ones', async () => {
    const { types, remarks } = await planOf([
      `create table probes (
        id serial primary key, a real check (a > -40), b real check (b between -40.5 and 85.5), c double precision check (c >= -1),
        d smallint check (d > -5 and d < 5), e numeric(5, 2) check (e <= -0.5), f bigint check (f > -9)
      )`,
    ])
    expect(remarks).to.deep.equal([])
    expect(types[0]?.attributes.map(({ property, rules }) => `${property}${rules}`)).to.deep.equal([
      'a.exclusiveMin(-40)',
      'b.min(-40.5).max(85.5)',
      'c.min(-1)',
      'd.exclusiveMin(-5).exclusiveMax(5)',
      'e.max(-0.5)',
      'f.exclusiveMin(-9)',
    ])
  })

  it('hides columns that refer to a secret, show one in a view, or get whole rows of a table with secrets', async () => {
    const { types, remarks } = await planOf([
      'create table sessions (token text primary key, at timestamptz)',
      'create table session_events (id serial primary key, session text not null references sessions, what text)',
      `create table staff (id serial primary key, name text, pin smallint, token_count integer, tokens_used bigint,
        salt_percent numeric(5, 2), failed_password_attempts integer, password_hash text)`,
      'create table notes (id serial primary key, note text)',
      'create table audit (id serial primary key, old_row jsonb, new_row jsonb, what text)',
      'create table changes (id serial primary key, new_row jsonb)',
      `create function audit_row() returns trigger language plpgsql as $$ begin
        insert into audit (old_row, new_row) values (to_jsonb(old), row_to_json(new)::jsonb); return null; end $$`,
      `create function change_row() returns trigger language plpgsql as $$ begin
        insert into changes (new_row) values (to_jsonb(new)); return null; end $$`,
      'create trigger staff_audit after update on staff for each row execute function audit_row()',
      'create trigger notes_audit after update on notes for each row execute function audit_row()',
      'create trigger notes_change after update on notes for each row execute function change_row()',
      'create view last_audits as select * from audit where id > 3',
    ])
    const hidden = types.flatMap(({ relation, attributes }) =>
      attributes.filter(({ isSecret }) => isSecret).map(({ column }) => `${relation.name}.${column.name}`),
    )
    expect(hidden).to.have.members([
      'session_events.session',
      'staff.pin',
      'staff.password_hash',
      'audit.old_row',
      'audit.new_row',
      'last_audits.old_row',
      'last_audits.new_row',
    ])
    expect(remarks.filter(({ member }) => member === 'audit.old_row')).to.have.length(1)
    const text = 'Neither shown nor accepted (hidden)'
    expect(remarks.map((remark) => `${remark.member}: ${remark.text}`)).to.include.members([
      `session_events.session: ${text}: it refers to sessions.token, which is hidden`,
      `audit.old_row: ${text}: the trigger staff_audit of staff writes rows with hidden columns to it`,
      `last_audits.old_row: ${text}: it shows audit.old_row, which is hidden`,
    ])
  })

  it('finds names of columns that suggest a secret', () => {
    const secrets = ['pass', 'db_pass', 'passcode', 'access_key', 'auth_key', 'webhook_signing_key', 'mfa_code']
    const more = [
      'jwt',
      'cookie',
      'session_key',
      'license_key',
      'encrypted_iban',
      'bearer',
      'seed_phrase',
      'cc_number',
      'pw',
    ]
    const others = ['backupCodes', 'recovery_code', 'totp_seed', 'security_answer', 'private_key', 'private']
    expect([...secrets, ...more, ...others].filter((name) => !looksSecret(name))).to.deep.equal([])
    const plain = [
      'passenger',
      'bypass_id',
      'pass_rate',
      'author_key',
      'sort_key',
      'postal_code',
      'private_notes',
      'seed',
    ]
    expect(plain.filter(looksSecret)).to.deep.equal([])
  })

  it('numbers migrations with times, also after the last second of a day', () => {
    const folders = [{ migrations: ['resources/a/migrations/29991231235959_a.ts'] }] as never
    expect(migrationNumbers({ folders }, 2)).to.deep.equal([30000101000000, 30000101000001])
  })

  it('plans relations for foreign keys and join tables, and read-only types for other keys and views', async () => {
    const { types, remarks } = await planOf(shop)
    const fieldsOf = (table: string) => {
      const type = types.find(({ relation }) => relation.name === table)
      return [...(type?.toOnes ?? []), ...(type?.toManys ?? [])].map(({ property }) => property)
    }
    expect(fieldsOf('orders')).to.deep.equal(['customer', 'shipments', 'products'])
    expect(fieldsOf('products')).to.deep.equal(['prices', 'orders'])
    expect(fieldsOf('customer_profiles')).to.deep.equal(['customer'])
    expect(fieldsOf('customers')).to.include.members(['customerProfile', 'loyaltyCard'])
    const readOnly = types.filter(({ isReadOnly }) => isReadOnly).map(({ names }) => names.type)
    expect(readOnly).to.have.members(['payments', 'prices', 'sales', 'shipments', 'warehouses'])
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.include.members([
      'shipments: Read-only: its key is order_id, number; ids join these values with dots',
      'products.photo: The type bytea has no form in JSON',
      'bins: Not mapped: it reads tables of another schema',
      'warehouses.address: The type address has no form in JSON',
      'warehouses.warehouses_bin_fkey: Not a relation: it refers to another schema',
      'warehouses.warehouses_owner_vat_fkey: Not a relation: it refers to customers.vat_id, which is not the key',
      'shipment_events.shipment_events_order_id_shipment_number_fkey: Not a relation: it has several columns (order_id, shipment_number)',
    ])
  })

  it('names inverse relations after the type, after the column if two have the same target, and children of parent', async () => {
    const { types } = await planOf(blog)
    const toManys = (table: string) =>
      types.find(({ relation }) => relation.name === table)?.toManys.map(({ property }) => property)
    expect(toManys('categories')).to.deep.equal(['children', 'posts'])
    expect(toManys('authors')).to.deep.equal(['authorPosts', 'editorPosts', 'followeds', 'followers'])
    expect(toManys('comments')).to.deep.equal(['replyToComments'])
    expect(toManys('posts')).to.deep.equal(['comments', 'labels'])
  })

  it('maps limits, intervals and JSON, and reports what it could not map', async () => {
    const { types, remarks } = await planOf(shop)
    const products = types.find(({ relation }) => relation.name === 'products')
    const fields = new Map(
      products?.attributes.map(({ property, mapping, rules }) => [property, { ...mapping, rules }]),
    )
    expect(fields.get('stock')?.rules).to.equal('.min(0).max(1000)')
    expect(fields.get('cost')?.rules).to.match(/\.rule\(\(value\) => \(Number\(value\) >= 0 \? undefined : '.+'\)\)$/)
    expect(fields.get('lead')).to.include({ builder: 'string', isWritable: true })
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.include.members([
      'products.extras: Requests must contain an object; other stored JSON values are shown',
      'products.products_check: Not a rule: PostgreSQL evaluates CHECK ((width > weight)), and a violation is a 422 without a pointer to the member',
    ])
  })

  it('reports extensions that the embedded database does not contain', async () => {
    const remarks = await missingExtensions(['citext', 'postgis', 'uuid-ossp'])
    expect(remarks.map(({ member }) => member)).to.deep.equal(['extension postgis'])
  })

  it('gives tables and columns with odd names free and valid names', async () => {
    const { types, remarks } = await planOf(odd)
    expect(types).to.have.length(64)
    for (const { names, attributes, toOnes, toManys } of types) {
      expect(names.type).to.match(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
      const properties = [...attributes, ...toOnes, ...toManys].map(({ property }) => property)
      expect(new Set(properties).size).to.equal(properties.length)
      for (const property of properties) expect(property).to.match(/^[a-z][A-Za-z0-9]*$/)
    }
    expect(new Set(types.map(({ names }) => names.type)).size).to.equal(64)
    expect(new Set(types.map(({ names }) => names.entity)).size).to.equal(64)
    const digit = 'a name begins with a digit, which MikroORM cannot map'
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.have.members([
      'People.ID: Named personId2: another property is named personId',
      'People._id: Named personId3: another property is named personId',
      'people.person: Named person2: another property is named person',
      'user.user_name: Named userName2: another property is named userName',
      'user.USER_NAME: Named userName3: another property is named userName',
      '2fa_codes: Read-only: the column 1st has no property',
      `2fa_codes.1st: Not an attribute: ${digit}`,
      `2fa_uses.2fa_uses_code_fkey: Not a relation: ${digit}`,
      'no_key: Not mapped: it has no primary key and no unique columns',
      'select: Read-only: MikroORM cannot compare constructor, which every object of JavaScript has',
    ])
  })
})

describe('A type whose key is computed from several columns', () => {
  const schema = defineEntity({
    name: 'Shipment',
    tableName: 'shipments',
    view: true,
    expression: 'select * from shipments',
    properties: {
      id: p
        .text()
        .primary()
        .formula((columns) => `${columns.orderId}::text || '.' || ${columns.number}::text`),
      orderId: p.integer(),
      number: p.integer(),
    },
  })
  class Shipment extends schema.class {}
  schema.setClass(Shipment)
  const resource = defineResource(Shipment, {
    type: 'shipments',
    readOnly: true,
    fields: ({ id, integer }) => [id(), integer('number').sortable()],
    policy: open,
  })

  it('returns collections, pages and single resources by the computed id', async () => {
    const database = await openTestDatabase({ entities: [Shipment], migrations: [] })
    await execute(database, [
      'create table shipments (order_id int, number int, primary key (order_id, number))',
      'insert into shipments values (1, 1), (1, 2), (2, 1)',
    ])
    const { client, close } = await startApp({ database, resources: [{ file: 'shipments.ts', resource }] })
    const { body } = await client.get('/shipments?sort=-number')
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1.2', '2.1', '1.1'])
    expect((await client.get('/shipments/2.1')).body.data.attributes).to.deep.equal({ number: 1 })
    expect((await client.get('/shipments/2.2')).status).to.equal(404)
    expect((await client.post('/shipments', { data: { type: 'shipments' } })).status).to.equal(405)
    await close()
    await database.close()
  })
})

describe('A table with an exclusion constraint', () => {
  const schema = defineEntity({
    name: 'Booking',
    tableName: 'bookings',
    properties: { id: p.integer().primary().autoincrement(), room: p.integer() },
  })
  class Booking extends schema.class {}
  schema.setClass(Booking)
  const resource = defineResource(Booking, {
    type: 'bookings',
    fields: ({ id, integer }) => [id(), integer('room').required()],
    policy: open,
  })

  it('returns 409 when a new resource is excluded by a row', async () => {
    const database = await openTestDatabase({ entities: [Booking], migrations: [] })
    await execute(database, [
      'create table bookings (id serial primary key, room int, exclude using hash (room with =))',
      'insert into bookings (room) values (1)',
    ])
    const { client, close } = await startApp({ database, resources: [{ file: 'bookings.ts', resource }] })
    const create = (room: number) => client.post('/bookings', { data: { type: 'bookings', attributes: { room } } })
    expect((await create(2)).status).to.equal(201)
    const { status, body } = await create(1)
    expect(status).to.equal(409)
    expect(body.errors[0].code).to.equal('CONFLICT')
    await close()
    await database.close()
  })
})

describe('A table with arrays of numbers, and decimals with a negative scale', () => {
  const schema = defineEntity({
    name: 'Sample',
    tableName: 'samples',
    properties: {
      id: p.integer().primary(),
      rounds: p.array<number>().columnType('int4[]'),
      levels: p.array<number>().columnType('float8[]').nullable(),
      price: p.decimal('number').columnType('numeric(5,-2)').nullable(),
    },
  })
  class Sample extends schema.class {}
  schema.setClass(Sample)
  const resource = defineResource(Sample, {
    type: 'samples',
    fields: ({ id, arrayList, decimal }) => [
      id().requireClientId(),
      arrayList('rounds').required(),
      arrayList('levels').nullable(),
      decimal('price').nullable(),
    ],
    policy: open,
  })

  it('returns items that are null or lists as they are stored, and decimals of any size', async () => {
    const database = await openTestDatabase({ entities: [Sample], migrations: [] })
    await execute(database, [
      'create table samples (id int primary key, rounds int[] not null, levels float8[], price numeric(5, -2))',
      `insert into samples values (1, '{1,NULL,3}', '{0.5,NULL}', 12300), (2, '{{1,2},{3,4}}', null, null)`,
    ])
    // The document describes an item as an integer; PostgreSQL stores lists in the same column.
    const { client, close } = await startApp({
      database,
      resources: [{ file: 'samples.ts', resource }],
      undescribed: ['default'],
    })
    const { body } = await client.get('/samples')
    expect(body.data.map(({ attributes }: { attributes: object }) => attributes)).to.deep.equal([
      { rounds: [1, null, 3], levels: [0.5, null], price: 12300 },
      {
        rounds: [
          [1, 2],
          [3, 4],
        ],
        levels: null,
        price: null,
      },
    ])
    const attributes = { rounds: [5], levels: [1.5], price: 45600 }
    const created = await client.post('/samples', { data: { type: 'samples', id: '3', attributes } })
    expect(created.body.data?.attributes, created.text).to.deep.equal(attributes)
    const large = { ...attributes, price: 12345678 }
    const refused = await client.post('/samples', { data: { type: 'samples', id: '4', attributes: large } })
    expect(refused.status, refused.text).to.equal(422)
    await close()
    await database.close()
  })
})

/** Declares the extensions of the schemas for the embedded database. The migration is never applied. */
const extensions = {
  entities: [],
  migrations: [
    { name: 'extensions', class: Object.assign(class {}, { extensions: ['citext', 'uuid-ossp', 'ltree'] }) },
  ],
}

async function replaceSchema(database: TestDatabase, statements: readonly string[]): Promise<void> {
  const empty = ['drop schema if exists logistics cascade', 'drop schema public cascade', 'create schema public']
  await execute(database, [...empty, ...statements])
}

async function execute({ orm }: TestDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await orm.em.getConnection().execute(statement)
}

/** The definitions without rows, without the order in which objects were created, and without references to other schemas. */
async function readDefinitions(database: TestDatabase): Promise<unknown> {
  const { kept, own, others } = JSON.parse(await dumpDatabase(database))
  const tables = kept.filter(({ readsOtherSchema }: CatalogRelation) => !readsOtherSchema)
  return { tables: tables.map(withoutOtherSchemas), own, others }
}

function withoutOtherSchemas({ oid: _, constraints, ...table }: CatalogRelation): object {
  return { ...table, constraints: constraints.filter(({ kind, target }) => kind !== 'foreign key' || target !== null) }
}
