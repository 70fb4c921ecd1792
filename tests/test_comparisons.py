"""Two sides of a test, what rounding leaves open, and what is computed from printed points."""

from __future__ import annotations

from dataclasses import replace
from statistics import geometric_mean

import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Quantity
from support.aix_v7.compared import compared_table
from support.aix_v7.comparisons import repeats, version_comparisons
from support.aix_v7.memory import join_derived_memory, memory, memory_from_pages
from support.aix_v7.printed import printed_tests
from support.aix_v7.ssl_channels import bulk_cipher, implied_baseline
from support.aix_v7.versions import ratios


@pytest.fixture(scope="module")
def chapter():
    return Chapter("websphere-mq-v7-aix")


def comparisons(chapter, *tables):
    return version_comparisons(chapter, chapter.points(*tables))


def test_each_way_of_sharing_sockets_is_compared_with_the_older_version(chapter):
    own, default = comparisons(chapter, "table-03")
    assert (own.variant, default.variant) == ("SHARECNV(0)", "default sharing")
    assert own.share().value == pytest.approx(100 * 14948 / 15852)
    assert default.share().value == pytest.approx(100 * 14636 / 15852)


def test_one_printed_test_is_asked_for_or_the_error_says_how_many_there_are(chapter):
    printed = printed_tests(chapter, chapter)
    assert printed.test("RR-CB", "nonpersistent").variant == "SHARECNV(0)"
    backwards = replace(printed, everything=printed.everything[::-1])
    assert backwards.test("RR-CB", "nonpersistent").variant == "SHARECNV(0)"
    sharing = printed.test("RR-CB", "nonpersistent", sharecnv="default")
    assert sharing.variant == "default sharing"
    with pytest.raises(ChapterError, match=r"no tests have .*message_bytes=1024"):
        printed.test("RR-CB", "nonpersistent", 1024)
    twice = replace(printed, everything=2 * printed.everything)
    with pytest.raises(ChapterError, match="2 tests have workload=RR-BB"):
        twice.test("RR-BB", "persistent")


def test_the_mean_of_the_versions_is_that_of_all_pairs_that_are_counted(chapter):
    printed = printed_tests(chapter, chapter)
    shares = [item.share().value for item in printed.complete]
    found = ratios(printed)
    assert found.count == len(shares)
    assert found.mean.value == pytest.approx(geometric_mean(shares))


def test_the_highest_rate_counts_even_where_another_is_marked_as_the_peak(chapter):
    (persistent,) = comparisons(chapter, "table-02")
    assert persistent.share().value == pytest.approx(100 * 7973 / 7983)


def test_a_difference_within_the_rounding_of_two_digits_is_none(chapter):
    (large,) = comparisons(chapter, "table-20")
    assert large.share().value < 100
    assert not large.differs()


def test_a_difference_of_a_few_percent_is_none(chapter):
    (persistent,) = comparisons(chapter, "table-02")
    low, high = persistent.bounds()
    assert high < 100  # by the printed digits alone it is one
    assert not persistent.differs()
    (channels,) = comparisons(chapter, "table-19")
    assert channels.band()[0] > 100  # and beyond the repeats of the source
    assert not channels.differs()
    widest = repeats(chapter).value / 100
    assert persistent.band() == pytest.approx((low / (1 + widest), high * (1 + widest)))
    own, _ = comparisons(chapter, "table-03")
    assert own.differs()


def test_a_stated_change_agrees_with_the_peaks_or_does_not(chapter):
    own, default = comparisons(chapter, "table-03")
    assert own.allows(Quantity(-5.7, "%", (), 1))
    assert not default.allows(Quantity(-12.4, "%", (), 1))


def test_a_version_that_is_not_printed_leaves_the_comparison_incomplete(chapter):
    (alone,) = comparisons(chapter, "table-18")
    assert not alone.complete


def test_a_compared_table_shows_every_cell_and_the_doubts(chapter):
    found = comparisons(chapter, "table-16")
    table = compared_table(chapter, found, caption="x", base="V6", other="V7")
    assert len(table.cells) == 16
    assert sum("\u2020" in cell.text for row in table.rows for cell in row) == 2
    assert any("84 requests in flight" in note for note in table.notes)


def test_times_printed_in_seconds_keep_their_digits_in_milliseconds(chapter):
    points = chapter.points("sec-2.3.5", "table-01")
    decimals = points.set_index("row_label")["round_trip_time_decimals"]
    assert decimals["triple_des_sha_us"] == 0
    assert set(decimals["WebSphere MQ V6"]) == {1}


def test_memory_per_client_follows_from_free_pages(chapter):
    points = join_derived_memory(chapter.points("table-35"))
    computed = [round(q.value) for q in memory_from_pages(chapter, points) if q is not None]
    assert computed == [157, 256, 257, 355, 418]
    assert memory(chapter).most.free.value == pytest.approx(808076 * 4096 / 1e9)  # decimal GB


@pytest.mark.parametrize(
    ("cipher", "bulk"),
    [
        ("null_md5", "no encryption"), ("triple_des_sha_us", "triple DES"),
        ("des_sha_export", "DES"), ("tls_rsa_with_aes_128_cbc_sha", "AES"),
        ("rc4_56_sha_export1024", "RC4"),
    ],
)  # fmt: skip
def test_the_name_of_a_cipherspec_tells_what_encrypts(cipher, bulk):
    assert bulk_cipher(cipher) == bulk


def test_an_unknown_cipher_is_refused():
    with pytest.raises(ValueError, match="not known"):
        bulk_cipher("rot13_sha")


def test_a_rounded_loss_implies_a_range_of_baselines():
    low, high = implied_baseline(Quantity(85, "x", ()), Quantity(15, "%", ()))
    assert low.value < 100 < high.value
