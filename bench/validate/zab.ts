import { SubjectProcess } from "./process.ts";
import { median } from "../figures.ts";
import { scenarios } from "./scenarios.ts";
const subjects = [await SubjectProcess.start("new","./subjects/kit.ts"), await SubjectProcess.start("old","./subjects/kit-zold.ts")];
const rounds=Number(process.argv[2] ?? 9);
for (const s of scenarios) {
  const t = new Map(subjects.map(x=>[x.name,[] as number[]]));
  for (let r=0;r<=rounds;r++) for (const x of (r%2?subjects:subjects.toReversed())) { const ns=await x.measure(s.name, r===0?10:60); if(r>0) t.get(x.name)!.push(ns); }
  const min=(l:number[])=>Math.min(...l);
  const [n,o]=[t.get("new")!,t.get("old")!];
  console.log(s.name.padEnd(22), "median", (median(n)/median(o)).toFixed(3), "min", (min(n)/min(o)).toFixed(3), min(n).toFixed(1), min(o).toFixed(1));
}
for (const x of subjects) x.stop();
