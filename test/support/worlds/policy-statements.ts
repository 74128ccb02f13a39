/** Statements and queries over the tables of a policy world that try to learn of hidden rows. */

interface HiddenRow {
  secret: string;
  amount: number;
}

/** Its result is a matter of luck: only the words of the answer are looked at. */
export const BY_LUCK = 'select * from ledger using sample 50%';

export function policyStatements({ secret, amount }: HiddenRow): string[] {
  return [
    // All of it.
    'select * from ledger',
    'select count(*), min(secret), max(secret), sum(amount), min(day), max(level) from ledger',
    "select string_agg(secret, ',' order by amount) from ledger",
    'select list(secret order by secret), histogram(team), mode(region) from ledger',
    'select team, count(*), avg(amount), stddev_pop(amount), median(amount) from ledger group by team order by team',
    'select region, level, sum(amount) from ledger group by rollup(region, level) order by all',
    'select count(distinct secret), arg_max(secret, amount), quantile_disc(secret, 0.99) from ledger',
    BY_LUCK,
    'select approx_quantile(amount, 0.5), approx_count_distinct(secret) from ledger',
    "select * from ledger where team = 'canary-team-1' or team = 'canary-team-2' or true order by amount",
    'select distinct team from ledger union all select secret from ledger',
    'select secret from ledger except select manager from staff order by 1',
    'with l as (select * from ledger) select * from l order by amount desc',
    'with recursive r(n) as (select min(amount) from ledger union all select n + 1009 from r where n < 7100000) select count(*) from r join ledger on n = amount',
    'select (select max(secret) from ledger), exists (select 1 from ledger where level = 3)',
    'select count(*) from ledger, range(100)',
    'select columns(*)::varchar from ledger order by all',
    'select l from ledger l order by l.amount',
    'select unnest(list(secret)) from ledger order by 1',
    // Windows.
    'select secret, lead(secret) over (order by amount), lag(amount) over (order by amount) from ledger order by amount',
    'select amount, rank() over (order by amount), percent_rank() over (order by amount) from ledger order by amount',
    'select row_number() over (partition by team order by day), first_value(secret) over (partition by region order by amount) from ledger order by all',
    'select sum(amount) over (order by amount rows between 5 preceding and 5 following) from ledger order by all',
    'select secret from ledger qualify ntile(4) over (order by amount) = 4 order by 1',
    // Joins.
    'select a.secret, b.secret from ledger a, ledger b where a.level = b.level order by all',
    'select l.secret, s.manager, s.pay from ledger l left join staff s on l.team = s.team order by l.amount',
    'select s.manager, count(l.secret) from staff s full join ledger l using (team) group by 1 order by 1',
    'select secret from ledger where not exists (select 1 from staff where staff.team = ledger.team) order by 1',
    'select * from ledger anti join staff using (team) order by amount',
    'select plan, cost, (select count(*) from ledger) from closed order by cost',
    'select count(*) from ledger l join closed c on l.amount < c.cost',
    // Guesses.
    `select count(*) from ledger where secret = '${secret}'`,
    `select case when sum(amount = ${amount}) > 0 then 1 / 0.0 else 1 end from ledger`,
    `select secret from ledger order by abs(amount - ${amount}), secret limit 1`,
    `select count(*) from ledger where amount between ${amount - 1} and ${amount + 1}`,
    // Errors.
    'select cast(secret as integer) from ledger',
    'select error(max(secret)) from ledger',
    'select nothing from ledger',
    'describe ledger',
    'select * from ledger at (version => 1)',
    'select _part, _start from ledger',
    'select __pinakes_place::varchar from ledger',
    'select max(l.__PINAKES_PLACE % 4294967296)::integer from ledger l',
  ];
}

export function policyQueries({ secret, amount }: HiddenRow): object[] {
  const count = { fn: 'count', as: 'n' };
  return [
    { from: 'ledger', order_by: [{ column: 'amount' }], limit: 1000 },
    { from: 'ledger', columns: [{ column: 'team' }, count], group_by: ['team'], order_by: [{ column: 'team' }] },
    {
      from: 'ledger',
      columns: [
        { fn: 'max', column: 'secret' },
        { fn: 'median', column: 'amount' },
      ],
    },
    { from: 'ledger', columns: [count], where: { filters: [{ key: 'secret', operator: 'eq', value: secret }] } },
    {
      from: 'staff',
      columns: [
        { fn: 'sum', column: 'pay' },
        { fn: 'count_distinct', column: 'manager' },
      ],
    },
    { from: 'ledger', columns: [count], where: { filters: [{ key: 'amount', operator: 'gte', value: amount }] } },
    { from: 'ledger', where: { filters: [{ key: 'nothing', operator: 'eq', value: 1 }] } },
  ];
}
