import { inTransaction, type Orm } from '#store'

/** The tables, views, types and functions of the current schema, from the system catalogue of PostgreSQL. */
export interface DatabaseCatalog {
  readonly relations: readonly CatalogRelation[]
  readonly enums: readonly CatalogEnum[]
  readonly sequences: readonly CatalogSequence[]
  readonly functions: readonly CatalogFunction[]
  readonly operators: readonly CatalogOperator[]
  /** Statements that create the domains, and the composite and range types. */
  readonly domains: readonly string[]
  readonly composites: readonly string[]
  readonly ranges: readonly string[]
  readonly extensions: readonly string[]
  readonly textSearch: readonly CatalogTextSearch[]
  /** The schemas that the baseline does not create. */
  readonly otherSchemas: readonly string[]
  /** The settings that the database or the role sets for its connections. */
  readonly settings: readonly string[]
}

export interface CatalogRelation {
  readonly oid: number
  readonly name: string
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table'
  /** The clause of a partitioned table, such as `RANGE (at)`. */
  readonly partitionKey: string | null
  /** The columns of this clause; an expression has none. */
  readonly partitionColumns: readonly string[]
  /** The parent and the bound of a partition. */
  readonly partition: { readonly parent: string; readonly bound: string } | null
  /** The tables of this schema that it inherits from; none for a partition. The baseline lacks them: MikroORM ignores child tables. */
  readonly parents: readonly string[]
  /** The query of a view. */
  readonly definition: string | null
  /** The columns of this schema that the query of a view reads. */
  readonly readColumns: readonly { readonly table: string; readonly column: string }[]
  /** Whether the query of a view reads tables of another schema. */
  readonly readsOtherSchema: boolean
  /** False for a materialized view that was never refreshed: PostgreSQL does not read it. */
  readonly isPopulated: boolean
  readonly columns: readonly CatalogColumn[]
  readonly constraints: readonly CatalogConstraint[]
  readonly indexes: readonly CatalogIndex[]
  readonly triggers: readonly CatalogTrigger[]
  readonly rules: readonly CatalogRule[]
}

export interface CatalogColumn {
  readonly name: string
  /** The SQL type with its modifier: `character varying(40)`; the name of a domain. */
  readonly type: string
  /** The SQL type with its modifier; for a domain its base type, as in all following members. */
  readonly baseType: string
  /** The internal name of the type: `varchar`. */
  readonly typeName: string
  /** The domain below the domain of the column, if there are two. MikroORM compares it with the entity. */
  readonly domainType: string | null
  /** The kind of the type: `e` enum, `b` base, `c` composite, `r` range. */
  readonly typeKind: string
  /** The internal name of the items of an array. */
  readonly itemType: string | null
  readonly length: number | null
  readonly precision: number | null
  readonly scale: number | null
  readonly isRequired: boolean
  /** The collation, if it is another one than that of the type. */
  readonly collation: string | null
  /** The expression of the default. */
  readonly default: string | null
  /** Whether the domain of the column has a default, which the column has if it has none of its own. */
  readonly hasDomainDefault: boolean
  readonly identity: 'always' | 'by default' | null
  /** The expression of a generated column. */
  readonly generated: string | null
}

export interface CatalogConstraint {
  readonly name: string
  readonly kind: 'primary key' | 'unique' | 'foreign key' | 'check' | 'exclusion'
  readonly columns: readonly string[]
  /** The columns of `include (…)`. */
  readonly included: readonly string[]
  readonly definition: string
  /** The table and the columns that a foreign key refers to; the table is null if it is in another schema. */
  readonly target: string | null
  readonly targetColumns: readonly string[]
  readonly onDelete: string
  readonly onUpdate: string
  /** When a deferrable constraint is checked. */
  readonly deferMode: 'immediate' | 'deferred' | null
}

interface CatalogIndex {
  readonly name: string
  readonly definition: string
  readonly columns: readonly string[]
  readonly isUnique: boolean
  /** A B-tree over columns, without expression, condition, order or options. */
  readonly isPlain: boolean
  /** A B-tree over all rows that begins with a column, in any order of values. */
  readonly isOrdered: boolean
}

export interface CatalogTrigger {
  readonly name: string
  readonly definition: string
  /** Called before each row is inserted, or before each row is updated. */
  readonly isBeforeInsert: boolean
  readonly isBeforeUpdate: boolean
  /** Whether PostgreSQL calls it for the statements of the service: it is not disabled, and not only for replicas. */
  readonly isFired: boolean
  /** The statement that sets when it is called; null for the default. */
  readonly mode: string | null
  readonly function: string
  readonly source: string
}

interface CatalogRule {
  readonly name: string
  readonly definition: string
  /** Whether it replaces the statement, always or if a condition holds. */
  readonly isInstead: boolean
}

export interface CatalogEnum {
  readonly name: string
  readonly values: readonly string[]
}

interface CatalogSequence {
  readonly name: string
  readonly definition: string
  /** The column that owns it, as `table.column`. */
  readonly owner: string | null
}

interface CatalogFunction {
  /** With the types of its parameters: `total_of(integer)`. */
  readonly signature: string
  readonly definition: string
  readonly isAggregate: boolean
  /** Whether PostgreSQL calls it: for triggers, aggregates, operators, and constraints and queries of views. */
  readonly isInternal: boolean
}

interface CatalogOperator {
  /** With the types of its operands: `<<<(real,real)`. */
  readonly signature: string
  readonly definition: string
}

/** A dictionary or a configuration of the text search. */
interface CatalogTextSearch {
  /** `configuration articles` */
  readonly name: string
  readonly statements: readonly string[]
}

const here = 'current_schema()::regnamespace'

const columnNames = (numbers: string, table: string) => `array(
  select a.attname::text from unnest(${numbers}) with ordinality k (number, position)
  join pg_attribute a on a.attrelid = ${table} and a.attnum = k.number order by k.position)`

const isOfExtension = (oid: string) => `exists (select 1 from pg_depend x where x.objid = ${oid} and x.deptype = 'e')`

/** The type below all domains of a column, and whether one of them rejects NULL. */
const baseType = `
  with recursive nested (oid, typmod, isnotnull, depth) as (
    select a.atttypid, a.atttypmod, false, 0
    union all
    select t.typbasetype, t.typtypmod, nested.isnotnull or t.typnotnull, depth + 1
    from nested join pg_type t on t.oid = nested.oid and t.typtype = 'd')
  select * from nested order by depth desc limit 1`

const columns = `
  select coalesce(json_agg(json_build_object(
    'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'baseType', format_type(y.oid, b.typmod),
    'typeName', y.typname, 'typeKind', y.typtype, 'domainType', case when b.depth > 1 then
      (select format_type(o.typbasetype, o.typtypmod) from pg_type o where o.oid = a.atttypid) end,
    'itemType', case when y.typcategory = 'A' then (select i.typname from pg_type i where i.oid = y.typelem) end,
    'length', case when y.typname in ('varchar', 'bpchar') and b.typmod > 4 then b.typmod - 4 end,
    'precision', case when y.typname = 'numeric' and b.typmod > 4 then ((b.typmod - 4) >> 16) & 65535
      when y.typname in ('timestamp', 'timestamptz', 'time', 'timetz') and b.typmod >= 0 then b.typmod end,
    'scale', case when y.typname = 'numeric' and b.typmod > 4 then (((b.typmod - 4) & 2047) # 1024) - 1024 end,
    'isRequired', a.attnotnull or b.isnotnull,
    'collation', (select l.collname from pg_collation l join pg_type o on o.oid = a.atttypid
      where l.oid = a.attcollation and o.typcollation <> a.attcollation),
    'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
    'hasDomainDefault', (select o.typtype = 'd' and o.typdefault is not null from pg_type o where o.oid = a.atttypid),
    'identity', case a.attidentity when 'a' then 'always' when 'd' then 'by default' end,
    'generated', case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end
  ) order by a.attnum), '[]')
  from pg_attribute a join lateral (${baseType}) b on true join pg_type y on y.oid = b.oid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`

const constraints = `
  select coalesce(json_agg(json_build_object(
    'name', o.conname,
    'kind', case o.contype when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key'
      when 'c' then 'check' else 'exclusion' end,
    'columns', ${columnNames('o.conkey', 'o.conrelid')},
    'included', array(select a.attname::text from pg_index x, unnest((x.indkey::int2[])[x.indnkeyatts:]) with ordinality k (number, position)
      join pg_attribute a on a.attrelid = o.conrelid and a.attnum = k.number
      where x.indexrelid = o.conindid and o.contype in ('p', 'u') order by k.position),
    'definition', pg_get_constraintdef(o.oid),
    'target', (select t.relname from pg_class t where t.oid = o.confrelid and t.relnamespace = ${here}),
    'targetColumns', ${columnNames('o.confkey', 'o.confrelid')},
    'onDelete', o.confdeltype, 'onUpdate', o.confupdtype, 
    'deferMode', case when o.condeferred then 'deferred' when o.condeferrable then 'immediate' end
  ) order by o.contype = 'p' desc, o.conname), '[]')
  from pg_constraint o where o.conrelid = c.oid and o.contype in ('p', 'u', 'f', 'c', 'x') and o.conparentid = 0
    and not (c.relispartition and o.coninhcount > 0)`

const indexes = `
  select coalesce(json_agg(json_build_object(
    'name', i.relname, 'definition', pg_get_indexdef(x.indexrelid), 'isUnique', x.indisunique,
    'columns', ${columnNames('x.indkey::int2[]', 'x.indrelid')},
    'isPlain', m.amname = 'btree' and x.indpred is null and x.indexprs is null and x.indnatts = x.indnkeyatts
      and not x.indnullsnotdistinct and i.reloptions is null
      and not exists (select 1 from unnest(x.indoption::int2[]) n where n <> 0)
      and not exists (select 1 from unnest(x.indclass::oid[]) n join pg_opclass p on p.oid = n where not p.opcdefault),
    'isOrdered', m.amname = 'btree' and x.indpred is null and x.indkey[0] <> 0
      and (select p.opcdefault from pg_opclass p where p.oid = x.indclass[0])
  ) order by i.relname), '[]')
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_am m on m.oid = i.relam
  where x.indrelid = c.oid and not i.relispartition
    and not exists (select 1 from pg_constraint o where o.conindid = x.indexrelid and o.contype in ('p', 'u', 'x'))`

const triggers = `
  select coalesce(json_agg(json_build_object(
    'name', t.tgname, 'definition', pg_get_triggerdef(t.oid), 'function', f.proname, 'source', f.prosrc,
    'isFired', t.tgenabled in ('O', 'A'), 'mode', case when t.tgenabled <> 'O' then format('alter table %I %s trigger %I', c.relname,
      case t.tgenabled when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, t.tgname) end,
    'isBeforeInsert', t.tgtype & 7 = 7, 'isBeforeUpdate', t.tgtype & 19 = 19
  ) order by t.tgname), '[]')
  from pg_trigger t join pg_proc f on f.oid = t.tgfoid where t.tgrelid = c.oid and not t.tgisinternal and t.tgparentid = 0`

/** The rules of tables; that of a view is its query. */
const rules = `
  select coalesce(json_agg(json_build_object(
    'name', w.rulename, 'definition', pg_get_ruledef(w.oid), 'isInstead', w.is_instead
  ) order by w.rulename), '[]')
  from pg_rewrite w where w.ev_class = c.oid and w.ev_type <> '1'`

const relations = `
  select c.oid::int8::text as oid, c.relname::text as name,
    case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end as kind,
    case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as "partitionKey",
    (select ${columnNames('k.partattrs::int2[]', 'c.oid')} from pg_partitioned_table k where k.partrelid = c.oid) as "partitionColumns",
    c.relispopulated as "isPopulated",
    case when c.relispartition then (select json_build_object('parent', p.relname, 'bound', pg_get_expr(c.relpartbound, c.oid))
      from pg_inherits h join pg_class p on p.oid = h.inhparent where h.inhrelid = c.oid) end as partition,
    array(select p.relname::text from pg_inherits h join pg_class p on p.oid = h.inhparent
      where h.inhrelid = c.oid and not c.relispartition and p.relnamespace = ${here} order by h.inhseqno) as parents,
    case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as definition,
    (select coalesce(json_agg(distinct jsonb_build_object('table', t.relname, 'column', a.attname)), '[]')
      from pg_rewrite w join pg_depend d on d.objid = w.oid and d.refclassid = 'pg_class'::regclass
      join pg_class t on t.oid = d.refobjid and t.relnamespace = ${here} and t.oid <> c.oid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
      where w.ev_class = c.oid and w.ev_type = '1') as "readColumns",
    exists (select from pg_rewrite w join pg_depend d on d.objid = w.oid and d.refclassid = 'pg_class'::regclass
      join pg_class t on t.oid = d.refobjid and t.relkind <> 'S'
      where w.ev_class = c.oid and t.relnamespace not in (${here}, 'pg_catalog'::regnamespace)) as "readsOtherSchema",
    (${columns}) as columns, (${constraints}) as constraints, (${indexes}) as indexes, (${triggers}) as triggers,
    (${rules}) as rules
  from pg_class c
  where c.relnamespace = ${here} and c.relkind in ('r', 'p', 'v', 'm', 'f') and not ${isOfExtension('c.oid')}
  order by c.relname`

const enums = `
  select y.typname::text as name, json_agg(e.enumlabel order by e.enumsortorder) as values
  from pg_type y join pg_enum e on e.enumtypid = y.oid
  where y.typnamespace = ${here} and not ${isOfExtension('y.oid')} group by y.typname order by y.typname`

const sequences = `
  select c.relname::text as name,
    format('create sequence %I as %s increment by %s minvalue %s maxvalue %s start with %s%s', c.relname, format_type(s.seqtypid, null),
      s.seqincrement, s.seqmin, s.seqmax, s.seqstart, case when s.seqcycle then ' cycle' else '' end) as definition,
    (select t.relname || '.' || a.attname from pg_depend d join pg_class t on t.oid = d.refobjid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
      where d.objid = c.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0 limit 1) as owner
  from pg_class c join pg_sequence s on s.seqrelid = c.oid
  where c.relnamespace = ${here} and not ${isOfExtension('c.oid')}
    and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'i') order by c.relname`

const signature = "format('%s(%s)', f.proname, pg_get_function_identity_arguments(f.oid))"

/** `option = value`, or nothing for the default. */
const option = (name: string, isSet: string, value: string) =>
  `case when ${isSet} then ', ${name} = ' || ${value} else '' end`

/** PostgreSQL prints no definition of an aggregate. */
const aggregate = `
  format('create aggregate %I(%s) (sfunc = %s, stype = %s', f.proname,
    coalesce(nullif(pg_get_function_arguments(f.oid), ''), '*'), g.aggtransfn, format_type(g.aggtranstype, null))
  || ${option('sspace', 'g.aggtransspace > 0', 'g.aggtransspace')}
  || ${option('finalfunc', 'g.aggfinalfn <> 0', 'g.aggfinalfn')} || case when g.aggfinalextra then ', finalfunc_extra' else '' end
  || ${option('combinefunc', 'g.aggcombinefn <> 0', 'g.aggcombinefn')}
  || ${option('serialfunc', 'g.aggserialfn <> 0', 'g.aggserialfn')}
  || ${option('deserialfunc', 'g.aggdeserialfn <> 0', 'g.aggdeserialfn')}
  || ${option('initcond', 'g.agginitval is not null', 'quote_literal(g.agginitval)')}
  || ${option('msfunc', 'g.aggmtransfn <> 0', 'g.aggmtransfn')} || ${option('minvfunc', 'g.aggminvtransfn <> 0', 'g.aggminvtransfn')}
  || ${option('mstype', 'g.aggmtranstype <> 0', 'format_type(g.aggmtranstype, null)')}
  || ${option('mfinalfunc', 'g.aggmfinalfn <> 0', 'g.aggmfinalfn')} || case when g.aggmfinalextra then ', mfinalfunc_extra' else '' end
  || ${option('minitcond', 'g.aggminitval is not null', 'quote_literal(g.aggminitval)')}
  || ${option('sortop', 'g.aggsortop <> 0', "(select format('operator(%s)', o.oprname) from pg_operator o where o.oid = g.aggsortop)")}
  || ${option('parallel', "f.proparallel <> 'u'", "case f.proparallel when 's' then 'safe' else 'restricted' end")}
  || case when g.aggkind = 'h' then ', hypothetical' else '' end || ')'`

const functions = `
  select ${signature} as signature, f.prokind = 'a' as "isAggregate",
    case when f.prokind = 'a' then ${aggregate} else pg_get_functiondef(f.oid) end as definition,
    f.prorettype = 'trigger'::regtype or exists (select from pg_depend d where d.refclassid = 'pg_proc'::regclass and d.refobjid = f.oid
      and d.deptype = 'n' and d.classid <> 'pg_proc'::regclass or d.refobjid = f.oid and d.classid = 'pg_proc'::regclass
      and exists (select from pg_proc n where n.oid = d.objid and n.prokind = 'a')) as "isInternal"
  from pg_proc f left join pg_aggregate g on g.aggfnoid = f.oid
  where f.pronamespace = ${here} and not ${isOfExtension('f.oid')}
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'i') order by f.oid`

const operators = `
  select format('%s(%s,%s)', o.oprname, format_type(nullif(o.oprleft, 0), null), format_type(nullif(o.oprright, 0), null)) as signature,
    format('create operator %s (function = %s', o.oprname, o.oprcode)
    || ${option('leftarg', 'o.oprleft <> 0', 'format_type(o.oprleft, null)')}
    || ${option('rightarg', 'o.oprright <> 0', 'format_type(o.oprright, null)')}
    || ${option('commutator', 'o.oprcom <> 0', '(select c.oprname from pg_operator c where c.oid = o.oprcom)')}
    || ${option('negator', 'o.oprnegate <> 0', '(select c.oprname from pg_operator c where c.oid = o.oprnegate)')}
    || ${option('restrict', 'o.oprrest <> 0', 'o.oprrest')} || ${option('join', 'o.oprjoin <> 0', 'o.oprjoin')}
    || case when o.oprcanhash then ', hashes' else '' end || case when o.oprcanmerge then ', merges' else '' end || ')' as definition
  from pg_operator o where o.oprnamespace = ${here} and o.oprcode <> 0 and not ${isOfExtension('o.oid')} order by o.oid`

const domains = `
  select format('create domain %I as %s%s%s%s', y.typname, format_type(y.typbasetype, y.typtypmod),
    coalesce(' default ' || y.typdefault, ''), case when y.typnotnull then ' not null' else '' end,
    coalesce((select string_agg(format(' constraint %I %s', o.conname, pg_get_constraintdef(o.oid)), '')
      from pg_constraint o where o.contypid = y.oid and o.contype = 'c'), '')) as definition
  from pg_type y where y.typtype = 'd' and y.typnamespace = ${here} and not ${isOfExtension('y.oid')} order by y.oid`

const composites = `
  select format('create type %I as (%s)', c.relname, (select string_agg(
    format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)) as definition
  from pg_class c where c.relkind = 'c' and c.relnamespace = ${here} and not ${isOfExtension('c.oid')} order by c.oid`

const ranges = `
  select format('create type %I as range (subtype = %s, multirange_type_name = %I', y.typname, format_type(r.rngsubtype, null), m.typname)
    || ${option('subtype_opclass', 'not p.opcdefault', 'quote_ident(p.opcname)')}
    || ${option('collation', 'r.rngcollation <> 0', 'r.rngcollation::regcollation')}
    || ${option('subtype_diff', 'r.rngsubdiff <> 0', 'r.rngsubdiff')} || ')' as definition
  from pg_range r join pg_type y on y.oid = r.rngtypid join pg_type m on m.oid = r.rngmultitypid join pg_opclass p on p.oid = r.rngsubopc
  where y.typnamespace = ${here} and not ${isOfExtension('y.oid')} order by y.oid`

const extensions = `select extname::text as name from pg_extension where extname <> 'plpgsql' order by 1`

/** Dictionaries before configurations, which refer to them. */
const textSearch = `
  select 'dictionary ' || d.dictname as name, json_build_array(format('create text search dictionary %I (template = %I.%I%s)', d.dictname,
    (select nspname from pg_namespace where oid = t.tmplnamespace), t.tmplname, coalesce(', ' || d.dictinitoption, ''))) as statements
  from pg_ts_dict d join pg_ts_template t on t.oid = d.dicttemplate
  where d.dictnamespace = ${here} and not ${isOfExtension('d.oid')}
  union all
  select 'configuration ' || c.cfgname, array_to_json(array[format('create text search configuration %I (parser = %I.%I)', c.cfgname,
    (select nspname from pg_namespace where oid = p.prsnamespace), p.prsname)] || array(
      select format('alter text search configuration %I add mapping for %s with %s', c.cfgname, string_agg(m.alias, ', ' order by m.alias), m.dictionaries)
      from (select k.alias, string_agg(n.mapdict::regdictionary::text, ', ' order by n.mapseqno) as dictionaries
        from pg_ts_config_map n join ts_token_type(c.cfgparser) k on k.tokid = n.maptokentype
        where n.mapcfg = c.oid group by k.tokid, k.alias) m group by m.dictionaries order by m.dictionaries))
  from pg_ts_config c join pg_ts_parser p on p.oid = c.cfgparser
  where c.cfgnamespace = ${here} and not ${isOfExtension('c.oid')}
  order by name desc`

const otherSchemas = `select nspname::text as name from pg_namespace
  where nspname !~ '^pg_' and nspname <> 'information_schema' and oid <> ${here} order by 1`

const settings = `select split_part(s.setting, '=', 1) as name from pg_db_role_setting r, unnest(r.setconfig) s (setting)
  where r.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    and r.setrole in (0, (select oid from pg_roles where rolname = current_user))`

/** Reads the catalogue in one read-only transaction. */
export async function introspect({ em }: Orm): Promise<DatabaseCatalog> {
  return inTransaction(em.fork(), async (inner) => {
    await inner.execute('set transaction read only')
    const rows = <Row>(sql: string) => inner.execute<Row[]>(sql)
    return {
      relations: (await rows<CatalogRelation>(relations)).map((relation) => ({
        ...relation,
        oid: Number(relation.oid),
        partitionColumns: relation.partitionColumns ?? [],
      })),
      enums: await rows<CatalogEnum>(enums),
      sequences: await rows<CatalogSequence>(sequences),
      functions: await rows<CatalogFunction>(functions),
      operators: await rows<CatalogOperator>(operators),
      domains: (await rows<{ definition: string }>(domains)).map(({ definition }) => definition),
      composites: (await rows<{ definition: string }>(composites)).map(({ definition }) => definition),
      ranges: (await rows<{ definition: string }>(ranges)).map(({ definition }) => definition),
      extensions: (await rows<{ name: string }>(extensions)).map(({ name }) => name),
      textSearch: await rows<CatalogTextSearch>(textSearch),
      otherSchemas: (await rows<{ name: string }>(otherSchemas)).map(({ name }) => name),
      settings: (await rows<{ name: string }>(settings)).map(({ name }) => name),
    }
  })
}
