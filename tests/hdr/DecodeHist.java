// SPDX-License-Identifier: MIT
// Reads what hist_dump prints, decodes each text with HdrHistogram and compares totals and every count.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

public class DecodeHist {
	static final int COMPRESSED_COOKIE = 0x1c849304;

	static int failures = 0;

	static void fail(String name, String what) {
		System.out.println("not ok " + name + ": " + what);
		failures++;
	}

	static Histogram decode(String text) throws Exception {
		ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));

		// A build without zlib writes the plain encoding.
		if ((bytes.getInt(0) & ~0xf0) == COMPRESSED_COOKIE)
			return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
		return Histogram.decodeFromByteBuffer(bytes, 0);
	}

	static TreeMap<Long, Long> countsOf(Histogram h) {
		TreeMap<Long, Long> counts = new TreeMap<>();

		for (HistogramIterationValue v : h.recordedValues())
			counts.put(h.lowestEquivalentValue(v.getValueIteratedTo()),
				   v.getCountAddedInThisIterationStep());
		return counts;
	}

	static void compare(String name, long total, TreeMap<Long, Long> want, String text) throws Exception {
		Histogram h = decode(text);
		TreeMap<Long, Long> got = countsOf(h);
		int before = failures;

		if (h.getTotalCount() != total)
			fail(name, "total " + h.getTotalCount() + ", not " + total);
		if (h.getNumberOfSignificantValueDigits() != 3)
			fail(name, "digits " + h.getNumberOfSignificantValueDigits());
		if (h.getLowestDiscernibleValue() != 1 || h.getHighestTrackableValue() < 86400000000000L)
			fail(name, "range " + h.getLowestDiscernibleValue() + " " + h.getHighestTrackableValue());
		for (Map.Entry<Long, Long> e : want.entrySet())
			if (!e.getValue().equals(got.get(e.getKey())))
				fail(name, "value " + e.getKey() + " has " + got.get(e.getKey()) + ", not " + e.getValue());
		for (Long value : got.keySet())
			if (!want.containsKey(value))
				fail(name, "value " + value + " was never recorded");
		if (failures == before)
			System.out.println("ok " + name + ": " + want.size() + " counters, total " + total);
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		TreeMap<Long, Long> counts = new TreeMap<>();
		String name = "";
		long total = 0;
		int compared = 0;

		for (String line = in.readLine(); line != null; line = in.readLine()) {
			String[] word = line.split(" ");

			if (word[0].equals("histogram")) {
				name = word[1];
				total = Long.parseLong(word[2]);
				counts.clear();
			} else if (word[0].equals("count")) {
				counts.put(Long.parseLong(word[1]), Long.parseLong(word[2]));
			} else if (word[0].equals("text")) {
				compare(name, total, counts, word[1]);
				compared++;
			}
		}
		if (compared < 9)
			fail("hist_dump", "only " + compared + " histograms");
		System.exit(failures == 0 ? 0 : 1);
	}
}
