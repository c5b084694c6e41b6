import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Server } from '#kernel/plugin'
import { typesOfServer } from '#plugins/client-types/index.ts'
import { buildApp, root, startApp } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { runCompiler } from '#test/template/support/project-copy.ts'
import { entities, resources } from './types/depots.ts'

// Compiles front ends against the types of the API.

describe('A front end with the TypeScript client', function () {
  this.timeout(300_000)
  let directory: string
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'front-end-'))
    for (const name of ['app', 'clients', 'plugins', 'resources', 'test', 'node_modules', 'package.json']) {
      symlinkSync(join(root, name), join(directory, name))
    }
  })
  after(() => rmSync(directory, { recursive: true }))

  it('does not compile after an attribute that it uses is renamed in the resource', async () => {
    const declarations = readFileSync(join(root, 'test/template/typed-client/types/api.ts'), 'utf8')
    const renamed = declarations.replace("string('title').required()", "string('heading').storedAs('title').required()")
    expect(renamed).not.to.equal(declarations)
    const frontEnd = (api: string) => `import { api } from './${api}.ts'
for await (const song of api.songs.list({ fields: { songs: ['title'] } })) console.log(song.title)
`
    const { errors } = await compile({
      'api.ts': declarations,
      'renamed.ts': renamed,
      'before.ts': frontEnd('api'),
      'after.ts': frontEnd('renamed'),
    })
    expect(errors).to.have.length(2)
    expect(errors[0]).to.include(`error TS2322: Type '"title"' is not assignable to type`)
    expect(errors[1]).to.match(/after\.ts\(2,\d+\): error TS2339: Property 'title' does not exist on type/)
  })

  it('gets the same members from the declarations and from the OpenAPI document', async () => {
    const app = await buildApp()
    const { errors } = await compile({
      ...Object.fromEntries(
        app.servers.map((server) => [`${server.name}.d.ts`, typesOfServer(app, server).declarations]),
      ),
      ...Object.fromEntries(app.servers.map(({ name }) => [`compare-${name}.ts`, comparison(name)])),
    })
    await app.close()
    expect(errors).to.deep.equal([])
  })

  it('refuses the same calls with the types of the declarations and of the OpenAPI document', async () => {
    const database = await openTestDatabase({ entities, migrations: [] })
    const declared = Object.entries(resources).map(([name, resource]) => ({ file: `${name}.ts`, resource }))
    const { app, close } = await startApp({ database, resources: declared })
    const read = (file: string) => readFileSync(join(root, 'test/template/typed-client/types', file), 'utf8')
    const calls = read('depot-calls.ts')
    const { errors } = await compile({
      'depots.ts': read('depots.ts'),
      'declared-calls.ts': calls,
      'served.d.ts': typesOfServer(app, app.servers[0] as Server).declarations,
      'served-calls.ts': calls.replace('./depots.ts', './served.d.ts'),
    })
    await close()
    await database.close()
    expect(errors).to.deep.equal([])
  })

  it('checks 50 types with 200 relations with fewer than 1,400,000 instantiations', async () => {
    const { errors, instantiations } = await compile({ 'types.ts': manyTypes(50), 'front-end.ts': manyCalls(50) })
    expect(errors).to.deep.equal([])
    expect(instantiations).to.be.within(1, 1_400_000)
  })

  /** Compiles the sources as the project compiles its own. */
  async function compile(sources: Readonly<Record<string, string>>) {
    for (const [file, source] of Object.entries(sources)) writeFileSync(join(directory, file), source)
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
    const files = [...Object.keys(sources), 'app/plugins.ts']
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const output = await runCompiler(directory, '--extendedDiagnostics')
    return {
      errors: output.split('\n').filter((line) => line.includes(': error TS')),
      instantiations: Number(/Instantiations:\s+(\d+)/.exec(output)?.[1]),
    }
  }
})

/**
 * Lists the members that differ in the two descriptions, as `albums.relations.tracks.page`. Members that no method of the
 * client reads are left out. Of two values of an attribute or a filter one accepts the other: only the declarations know
 * which texts an entity property has, only the document knows JSON Schemas and the types of pivot columns.
 */
function comparison(server: string): string {
  return `import type { TypeSchema } from '#client'
import type { Api } from './resources/api.ts'
import type { Api as Served } from './${server}.d.ts'

type Inferred = Api<'${server}'>['types']
type Written = Served['types']
type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Accepts<A, B> = [A] extends [B] ? true : [B] extends [A] ? true : false
type Missing<A> = [null extends A ? true : false, undefined extends A ? true : false]
type IsLike<A, B> = [Accepts<A, B>, IsSame<Missing<A>, Missing<B>>] extends [true, true] ? true : false
type Names<A, B> = (keyof A | keyof B) & string

/** Objects of values: attributes and filters. */
type Values<A, B, Path extends string> = {
  [Key in Names<A, B>]: Key extends keyof A & keyof B ? IsLike<A[Key], B[Key]> extends true ? never : \`\${Path}.\${Key}\` : \`\${Path}.\${Key}\`
}[Names<A, B>]
/** Objects of facts. */
type Facts<A, B, Path extends string> = {
  [Key in Names<A, B>]: Key extends Objects
    ? Values<Member<A, Key>, Member<B, Key>, \`\${Path}.\${Key}\`>
    : Key extends keyof A & keyof B ? IsSame<A[Key], B[Key]> extends true ? never : \`\${Path}.\${Key}\` : \`\${Path}.\${Key}\`
}[Names<A, B>]
type Member<A, Key> = Key extends keyof A ? A[Key] : {}
type Nested<A, B, Path extends string> = {
  [Key in Names<A, B>]: Key extends keyof A & keyof B ? Facts<Read<A[Key]>, Read<B[Key]>, \`\${Path}.\${Key}\`> : \`\${Path}.\${Key}\`
}[Names<A, B>]
type Objects = 'attributes' | 'create' | 'update' | 'filters' | 'singular' | 'filterable' | 'pivot' | 'pivotInput'

/** The facts of a relation that methods of the client read: without its URL, none of a query. */
type Read<Fact> = Fact extends { readonly related: false } ? Omit<Fact, 'filters' | 'sorts' | 'page' | 'counts'> : Fact
/** The facts of a type that its operations read. */
type Used<Type, Operations> = Pick<Type, {
  [Key in keyof TypeSchema & keyof Type]: Key extends 'relations' | 'actions'
    ? never
    : Key extends Exclude<'create' | 'update' | 'id', Operations> | ('get' extends Operations ? never : 'etags') ? never : Key
}[keyof TypeSchema & keyof Type]>
type Types = {
  [Type in keyof Inferred & keyof Written]: Written[Type]['operations'] extends never ? never : Type
}[keyof Inferred & keyof Written]
type Differences = {
  [Type in Types]:
    | Facts<Used<Inferred[Type], Inferred[Type]['operations']>, Used<Written[Type], Inferred[Type]['operations']>, Type>
    | Nested<Inferred[Type]['relations'], Written[Type]['relations'], \`\${Type}.relations\`>
    | Nested<Inferred[Type]['actions'], Written[Type]['actions'], \`\${Type}.actions\`>
}[Types]
export const differences: { readonly [Path in Differences]: never } = {}
type Codes = keyof Served['errors'] & keyof Api['errors']
export const codes: Pick<Api['errors'], Codes> = null as unknown as Pick<Served['errors'], Codes>
`
}

/** Declarations of types, each with four relations. */
function manyTypes(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index)
  const target = (index: number, step: number) => (index + step) % count
  return `import { defineEntity, p } from '@mikro-orm/core'
import { defineResource } from '#kernel'
import type { ApiOf } from '#app/api-types/api-of.ts'
${numbers
  .map(
    (index) => `
const schema${index} = defineEntity({
  name: 'Entity${index}',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    note: p.text().nullable(),
    amount: p.integer().default(1),
    at: p.datetime(3),
    one: () => p.manyToOne(Entity${target(index, 1)}).ref().nullable(),
    two: () => p.manyToOne(Entity${target(index, 7)}).ref().nullable(),
    three: () => p.manyToMany(Entity${target(index, 13)}).owner(),
    four: () => p.manyToMany(Entity${target(index, 29)}).owner(),
  },
})
export class Entity${index} extends schema${index}.class {}
const type${index} = defineResource(Entity${index}, {
  type: 'type-${index}',
  fields: ({ id, string, integer, dateTime, belongsTo, belongsToMany }) => [
    id(),
    string('name').required().maxLength(200).sortable(),
    string('note').nullable(),
    integer('amount').min(1).sortable(),
    dateTime('at').readOnly(),
    belongsTo('one', 'type-${target(index, 1)}'),
    belongsTo('two', 'type-${target(index, 7)}'),
    belongsToMany('three', 'type-${target(index, 13)}').countable(),
    belongsToMany('four', 'type-${target(index, 29)}'),
  ],
  filters: ({ where, contains, range }) => [where('amount'), contains('name'), range('between', 'amount')],
})`,
  )
  .join('\n')}

interface Folders {
${numbers.map((index) => `  readonly 'type-${index}': { readonly resource: typeof type${index} }`).join('\n')}
}
export type Api = ApiOf<Folders, 'default', {}>
`
}

/** A front end that lists, includes, creates and updates each type. */
function manyCalls(count: number): string {
  const calls = Array.from(
    { length: count },
    (_, index) => `
const page${index} = await api['type-${index}'].list({ include: ['one.two', 'three'], filter: { name: 'x', between: { min: 1 } }, sort: '-name' })
export const name${index}: string | undefined = page${index}.data[0]?.one?.two?.name ?? page${index}.data[0]?.three[0]?.name
await api['type-${index}'].create({ name: 'x' }, { relations: { one: null } })
await api['type-${index}'].update('1', { note: null }, { relations: { three: [] } })`,
  )
  return `import { createClient } from '#client'
import type { Api } from './types.ts'
const api = createClient<Api>({ url: '' })
${calls.join('\n')}
`
}
