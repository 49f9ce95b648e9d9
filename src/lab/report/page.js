// Draws the plots of the page with Chart.js. A plot is {x, y, series, rows?,
// reference?}; see PlotsJson in write_json.cc.
(() => {
  "use strict";
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const narrow = () => window.innerWidth < 640;

  // Told apart by people who do not see all colors, too (after Okabe and Ito);
  // the first is for stint on all plots.
  const palettes = {
    light: ["#c8321e", "#0072b2", "#009e73", "#b07800", "#8a3ea8", "#2a9fd6",
            "#6b6b6b", "#b5518f", "#5a7d00", "#00707a", "#7a4a1f", "#3c4ea0"],
    dark: ["#ff7a66", "#6cb8f0", "#4fd1a5", "#f0b840", "#c89af0", "#8fdcff",
           "#b0b0b0", "#f09ac8", "#b0d060", "#50c8d0", "#d0a070", "#98a8f0"],
  };
  const shapes = ["circle", "rect", "triangle", "rectRot", "cross", "crossRot"];
  const numbers = new Map();
  const numberOf = (name) => {
    if (name === "stint" || name.startsWith("stint ") || name === "elastic") {
      return 0;
    }
    if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
    return numbers.get(name);
  };
  const colorOf = (name) => {
    const palette = palettes[dark.matches ? "dark" : "light"];
    const number = numberOf(name);
    // The first stays stint's when colors begin again.
    return palette[number && 1 + (number - 1) % (palette.length - 1)];
  };
  // Shapes move on when colors begin again, so that no pair repeats.
  const shapeOf = (name) => {
    const number = numberOf(name);
    const again = Math.floor((number - 1) / (palettes.light.length - 1));
    return shapes[(number + 2 * again) % shapes.length];
  };
  const css = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const short = (value, digits = 3) => {
    const size = Math.abs(value);
    if (size >= 1e6 || (size > 0 && size < 1e-3)) {
      return value.toExponential(digits - 2);
    }
    return String(Number(value.toPrecision(digits)));
  };

  // A line with ends across it, along one of the axes.
  const whisker = (ctx, from, to) => {
    const across = from[1] === to[1] ? [0, 3] : [3, 0];
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    for (const [x, y] of [from, to]) {
      ctx.moveTo(x - across[0], y - across[1]);
      ctx.lineTo(x + across[0], y + across[1]);
    }
    ctx.stroke();
  };

  // Intervals, along x where the plot has rows.
  const whiskers = {
    id: "whiskers",
    afterDatasetsDraw(chart, _, options) {
      const {ctx, scales} = chart;
      chart.data.datasets.forEach((set, index) => {
        if (!chart.isDatasetVisible(index) || !set.whiskers) return;
        ctx.save();
        ctx.strokeStyle = set.borderColor;
        ctx.lineWidth = 1.5;
        for (const point of set.data) {
          const x = scales.x.getPixelForValue(point.x);
          const y = scales.y.getPixelForValue(point.y);
          if (point.x_low !== undefined) {
            whisker(ctx, [scales.x.getPixelForValue(point.x_low), y],
                    [scales.x.getPixelForValue(point.x_high), y]);
          }
          if (point.low === undefined || point.low === point.high) continue;
          const along = options.rows ? scales.x : scales.y;
          const ends = [point.low, point.high].map((v) =>
            along.getPixelForValue(v));
          const place = (end) => options.rows ? [end, y] : [x, end];
          whisker(ctx, place(ends[0]), place(ends[1]));
        }
        ctx.restore();
      });
    },
  };

  // A line to compare with.
  const reference = {
    id: "reference",
    beforeDatasetsDraw(chart, _, options) {
      if (options.value === undefined) return;
      const {ctx, chartArea, scales} = chart;
      const x = scales.x.getPixelForValue(options.value);
      ctx.save();
      ctx.strokeStyle = css("--dim");
      ctx.setLineDash([4, 3]);
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      ctx.restore();
    },
  };

  // A band is two lines with the area between them filled.
  const bandSets = (series) => {
    const edge = (key) => ({
      label: key === "low" ? series.name : "", data: series.points.map((p) =>
        ({x: p.x, y: p[key]})),
      showLine: true, pointRadius: 0, borderWidth: 0, hidden: false,
    });
    const color = colorOf(series.name) + "40";
    return [
      {...edge("low"), backgroundColor: color, borderColor: color},
      {...edge("high"), fill: "-1", backgroundColor: color},
    ];
  };

  const dataset = (series) => {
    const color = colorOf(series.name);
    const set = {
      label: series.name, data: series.points, borderColor: color,
      backgroundColor: color, borderWidth: 2, pointRadius: 4,
      pointStyle: shapeOf(series.name),
      showLine: series.mark === "line", whiskers: true,
      segment: {},  // drawn call by call, which chartToSvg can write down
    };
    if (series.mark === "dashes") {
      return {...set, showLine: true, pointRadius: 0, borderWidth: 1,
              borderColor: css("--dim"), backgroundColor: css("--dim"),
              borderDash: [5, 4], pointStyle: "line", whiskers: false};
    }
    if (series.mark === "stars") {
      return {...set, pointStyle: "star", pointRadius: 10, whiskers: false,
              borderColor: css("--text"), backgroundColor: css("--text")};
    }
    if (series.mark === "line" && series.points.length > 40) {
      return {...set, pointRadius: 0};
    }
    return set;
  };

  // Guides do not stretch the axes: those fit what was measured.
  const range = (plot, key) => {
    const values = plot.series.filter((s) => s.mark !== "dashes").flatMap((s) =>
      s.points.flatMap((p) =>
        (key === "x") === Boolean(plot.rows) && p.low !== undefined
          ? [p[key], p.low, p.high]
          : key === "x" && p.x_low !== undefined
            ? [p.x, p.x_low, p.x_high] : [p[key]]));
    if (key === "x" && plot.reference !== undefined) values.push(plot.reference);
    if (!values.length) return {};
    const least = Math.min(...values), most = Math.max(...values);
    if (plot[key].log) return {min: least / 1.25, max: most * 1.25};
    const room = (most - least || Math.abs(most) || 1) * 0.06;
    return {min: least >= 0 && least - room < 0 ? 0 : least - room,
            max: most + room};
  };

  // As many digits as tell neighbors apart.
  const ticks = () => ({
    color: css("--dim"), maxRotation: 0, autoSkipPadding: 8,
    callback(value, index, all) {
      for (let digits = 3; digits < 9; ++digits) {
        const texts = all.map((tick) => short(tick.value, digits));
        if (new Set(texts).size === texts.length) return texts[index];
      }
      return short(value);
    },
  });

  // On a logarithmic axis 1, 2 and 5 of each decade; all digits where these are
  // fewer than three, and five even steps where all digits are.
  const logTicks = (least, most) => {
    const within = (leads) => {
      const values = [];
      for (let power = Math.floor(Math.log10(least)); 10 ** power <= most;
           ++power) {
        values.push(...leads.map((lead) => lead * 10 ** power));
      }
      return values.filter((v) => v >= least && v <= most);
    };
    for (const leads of [[1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
      const values = within(leads);
      if (values.length >= 3) return values;
    }
    const rough = (most - least) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((n) => n * power >= rough);
    const values = [];
    for (let v = Math.ceil(least / step) * step; v <= most; v += step) {
      values.push(Number(v.toPrecision(12)));
    }
    return values;
  };

  const scale = (plot, key) => {
    const axis = plot[key];
    return {
      type: axis.log ? "logarithmic" : "linear", ...range(plot, key),
      title: {display: Boolean(axis.label), text: axis.label,
              color: css("--text")},
      grid: {color: css("--line")}, ticks: ticks(),
      afterBuildTicks(built) {
        if (!axis.log) return;
        built.ticks = logTicks(built.min, built.max).map((value) => ({value}));
      },
    };
  };

  const rowScale = (plot) => ({
    type: "linear", min: -0.6, max: plot.rows.length - 0.4, reverse: true,
    grid: {color: css("--line")},
    afterBuildTicks(axis) {
      axis.ticks = plot.rows.map((_, i) => ({value: i}));
    },
    ticks: {
      color: css("--text"), autoSkip: false,
      font: {size: narrow() ? 10 : 12},
      callback(value) {
        const name = plot.rows[value] || "";
        const most = narrow() ? 22 : 64;
        if (name.length <= most) return name;
        // The end tells rows apart; "A/A" must stay readable.
        const head = name.startsWith("A/A ") ? "A/A \u2026" : "\u2026";
        return head + name.slice(head.length - most);
      },
    },
  });

  const hint = (plot) => (item) => {
    const p = item.raw;
    const name = plot.rows ? plot.rows[p.y] : p.hint || item.dataset.label;
    const interval = p.low === undefined ? ""
      : ` [${short(p.low)}, ${short(p.high)}]`;
    return plot.rows ? `${name}: ${short(p.x)}${interval}`
      : `${name}: ${short(p.x)}, ${short(p.y)}${interval}`;
  };

  const draw = (canvas) => {
    const plot = plots[Number(canvas.dataset.plot)];
    const sets = plot.series.filter((s) => s.points.length).flatMap((s) =>
      s.mark === "band" ? bandSets(s) : [dataset(s)]);
    return new Chart(canvas, {
      type: "scatter",
      data: {datasets: sets},
      plugins: [whiskers, reference],
      options: {
        animation: false, maintainAspectRatio: false, responsive: true,
        scales: {x: scale(plot, "x"),
                 y: plot.rows ? rowScale(plot) : scale(plot, "y")},
        plugins: {
          whiskers: {rows: Boolean(plot.rows)},
          reference: {value: plot.reference},
          tooltip: {callbacks: {label: hint(plot)}},
          legend: {
            display: sets.length > 1, position: "bottom",
            labels: {color: css("--text"), usePointStyle: true, boxHeight: 7,
                     font: {size: narrow() ? 11 : 12},
                     filter: (item) => item.text !== ""},
          },
        },
      },
    });
  };

  // Paper shows every table and command.
  window.addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
  for (const button of document.querySelectorAll("button.save")) {
    button.addEventListener("click", () => {
      const canvas = button.closest(".plot").querySelector("canvas");
      saveSvg(Chart.getChart(canvas), button.dataset.name);
    });
  }

  let charts = [];
  const drawAll = () => {
    for (const chart of charts) chart.destroy();
    charts = [...document.querySelectorAll("canvas[data-plot]")].map(draw);
  };
  dark.addEventListener("change", drawAll);
  drawAll();
})();
