/**
 * A workshop: constraints and types that MikroORM declares in another form or not at all: deferrable and covering keys, foreign
 * keys to partitioned tables and with a list of columns, sequences of other columns than the key, range types, procedures.
 */
export const workshop: readonly string[] = [
  'create type weights as range (subtype = numeric)',
  "create type tool_state as enum ('ready', 'worn')",
  `create table benches (
    id integer primary key deferrable initially deferred,
    label text not null,
    position integer not null,
    height integer not null default -1,
    counter bigint not null default -5,
    unique (position) deferrable,
    constraint benches_label unique (label) include (position)
  )`,
  'create sequence numbers',
  'create text search dictionary short_words (template = simple, stopwords = english)',
  'create text search configuration manual (copy = english)',
  'alter text search configuration manual alter mapping for asciiword with short_words, english_stem',
  'create table guides (id serial primary key, title text not null, words tsvector)',
  `create function index_guide() returns trigger language plpgsql as
    $$ begin new.words := to_tsvector('manual', new.title); return new; end $$`,
  'create trigger guides_words before insert or update on guides for each row execute function index_guide()',
  `insert into guides (title) values ('The lathes')`,
  'create table rooms (id serial primary key, name text)',
  `create table mechanics (
    id serial,
    room_id integer not null unique references rooms deferrable initially deferred,
    deputy_id integer,
    badge smallserial,
    number bigint not null default nextval('numbers'),
    name varchar(60) not null,
    shift timetz(2),
    flags bit varying(8),
    grade "char",
    skills varchar(20)[] not null default '{}',
    rates numeric(5, 2)[],
    lifts weights,
    constraint mechanics_deputy unique (deputy_id) deferrable initially immediate,
    primary key (id) include (name)
  )`,
  'alter table mechanics add foreign key (deputy_id) references mechanics on delete set null (deputy_id)',
  `create table tools (
    id serial primary key,
    state tool_state not null default 'ready',
    owner_id integer unique references mechanics deferrable initially deferred,
    owner_before integer references mechanics match full,
    weight numeric(6, 3) check (weight > 0),
    constraint tools_light check (weight < 1000) not valid
  )`,
  'create table orders (id integer primary key, placed date) partition by hash (id)',
  'create table orders_all partition of orders for values with (modulus 1, remainder 0)',
  'create table repairs (id serial primary key, order_id integer references orders, tool_id integer not null references tools)',
  `create table repair_tools (
    repair_id integer not null references repairs,
    tool_id integer not null references tools,
    slot integer,
    primary key (repair_id, tool_id),
    unique (slot) deferrable initially deferred
  )`,
  `create procedure close_repairs(inout closed integer) language plpgsql as $$ begin closed := 0; end $$`,
  `insert into benches (id, label, position) select n, 'Bench ' || n, n from generate_series(1, 3) n`,
  `insert into rooms (name) select 'Room ' || n from generate_series(1, 9) n`,
  `insert into mechanics (room_id, name, flags, grade, skills, lifts) select n, 'Mechanic ' || n, '101', 'a', '{lathe}', '[1,20)' from generate_series(1, 3) n`,
  `insert into tools (owner_id, owner_before, weight) values (1, null, 1.5), (null, 2, null)`,
  `insert into orders select n, date '2026-01-01' + n from generate_series(1, 4) n`,
  'insert into repairs (order_id, tool_id) values (1, 1), (null, 2)',
  'insert into repair_tools values (1, 1, 1), (1, 2, null)',
]
